// What an agent asks leave for, with exactly the answers it offers.
import { useMutation } from '@tanstack/react-query'
import type { PermissionChoice, PermissionRequest } from '../../../src/contract/permission.ts'
import { ask } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { hintOf } from '../ui/error-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { toast } from '../ui/overlay/toast.tsx'
import { useNow } from '../ui/text/time-ago.tsx'

interface Props {
  sessionId: string
  request: Pick<PermissionRequest, 'requestId' | 'title' | 'kind' | 'options'> & { expiresAt: string | null }
}

export function PermissionPrompt({ sessionId, request }: Props) {
  const answer = useMutation({
    mutationFn: (choice: PermissionChoice) =>
      ask('POST /api/sessions/:id/permission', {
        params: { id: sessionId },
        body: { requestId: request.requestId, optionId: choice.optionId },
      }),
    onError: (error) =>
      toast({
        tone: 'bad',
        title: 'The answer was not taken',
        detail: [error.message, hintOf(error)].filter(Boolean).join('\n'),
      }),
  })
  const firstAllow = request.options.find((option) => option.decision?.startsWith('allow'))
  return (
    <div className="flex flex-col gap-2 rounded-md bg-attention-soft p-2.5">
      <div className="flex items-start gap-1.5 text-xs text-attention">
        <Icon name="hand" className="mt-0.5 size-3.5" />
        <span className="min-w-0 flex-1 font-semibold">
          {request.kind === 'dialog' ? 'It asks' : `May it ${verbOf(request.kind)}?`}
        </span>
        {request.expiresAt && <Expiry at={request.expiresAt} />}
      </div>
      <code className="max-h-40 overflow-y-auto rounded bg-surface px-2 py-1 font-mono text-xs whitespace-pre-wrap">
        {request.title}
      </code>
      <div className="flex flex-wrap gap-1.5">
        {request.options.map((option) => (
          <Button
            key={option.optionId}
            size="sm"
            variant={option === firstAllow ? 'primary' : 'secondary'}
            {...(option.decision !== null && { icon: option.decision.startsWith('allow') ? 'check' : 'cross' })}
            data-answer={option.decision ?? 'option'}
            busy={answer.isPending && answer.variables.optionId === option.optionId}
            disabled={answer.isPending || answer.isSuccess}
            onClick={() => answer.mutate(option)}
          >
            {option.name}
          </Button>
        ))}
      </div>
    </div>
  )
}

function Expiry({ at }: { at: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(at) - useNow()) / 60_000))
  return (
    <span className="whitespace-nowrap" title={`Answered with no at ${new Date(at).toLocaleTimeString()}`}>
      {left === 0 ? 'expires now' : `${left}m left`}
    </span>
  )
}

const VERBS: Record<string, string> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'run',
  fetch: 'fetch',
}

function verbOf(kind: string): string {
  return VERBS[kind] ?? 'do this'
}
