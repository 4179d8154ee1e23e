// What an agent asks permission for, with exactly the answers it offers.
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { PermissionChoice, PermissionRequest } from '../../../src/contract/permission.ts'
import { ownValue } from '../../../src/core/text/json-fields.ts'
import { ask } from '../api/client.ts'
import { useGuarded } from '../steady/guarded.tsx'
import { FileDiffs } from '../transcript/file-diffs.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { toastError } from '../ui/overlay/toast.tsx'
import { formatTime } from '../ui/text/format.ts'
import { useNow } from '../ui/text/time-ago.tsx'
import { Visible } from '../ui/text/visible.tsx'
import { openLetter } from './outbox.ts'
import { advisesNo, isLong, isStanding, scopeOf, suggested } from './permission-answers.ts'
import { RequestText } from './request-text.tsx'

interface Props {
  sessionId: string
  request: PermissionRequest
  /** It was answered, here or elsewhere, and is shown a moment longer. */
  isGone?: boolean
}

export function PermissionPrompt({ sessionId, request, isGone = false }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  useGuarded(ref)
  const answer = useAnswer(sessionId, request)
  const [asksAgain, setAsksAgain] = useState<PermissionChoice | null>(null)
  const isOver = isGone || answer.isSuccess
  const primary = suggested(request)
  return (
    <div
      ref={ref}
      data-request={request.requestId}
      className={`flex flex-col gap-2 rounded-md p-2.5 ${isOver ? 'bg-canvas grayscale' : 'bg-attention-soft'}`}
    >
      <div className="flex items-start gap-1.5 text-xs text-attention">
        <Icon name="hand" className="mt-0.5 size-3.5" />
        <span className="min-w-0 flex-1 font-semibold">{questionOf(request.kind)}</span>
        {isOver && <span role="status">{answer.isSuccess ? `Answered: ${answer.variables.name}` : 'Answered'}</span>}
        {!isOver && request.expiresAt && <Expiry at={request.expiresAt} />}
      </div>
      <RequestText request={request} />
      <FileDiffs diffs={request.diffs ?? []} />
      {request.diffsOmitted && (
        <p className="text-xs text-attention">The change is too large to show here. Read it in the session first.</p>
      )}
      {advisesNo(request.options) && (
        <p className="text-xs text-attention">The agent itself suggests not to allow this.</p>
      )}
      {asksAgain ? (
        <AskAgain
          choice={asksAgain}
          kind={request.kind}
          busy={answer.isPending}
          isOver={isOver}
          onYes={() => answer.give(asksAgain)}
          onBack={() => setAsksAgain(null)}
        />
      ) : (
        <div className="flex flex-wrap gap-1.5">
          {request.options.map((option) => (
            <Button
              key={option.optionId}
              size="sm"
              variant={option === primary && !isOver ? 'primary' : 'secondary'}
              className="text-left whitespace-normal!"
              {...(option.decision !== null && { icon: option.decision.startsWith('allow') ? 'check' : 'cross' })}
              data-answer={shortcutOf(option, request)}
              does="POST /api/sessions/:id/permission"
              busy={answer.isPending && answer.variables.optionId === option.optionId}
              disabled={answer.isPending || isOver}
              onClick={() => (isStanding(option) ? setAsksAgain(option) : answer.give(option))}
            >
              <Visible text={option.name} />
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

/** No key approves what cannot be read here. */
function shortcutOf({ decision }: PermissionChoice, request: Props['request']): string {
  const isUnread = request.isCut === true || isLong(request)
  return decision === null || (isUnread && decision.startsWith('allow')) ? 'option' : decision
}

/** A refusal that promises to say something: the words are asked for next. */
const TELLS = /^no\b.*\b(?:tell|suggest|differently)\b/i

function useAnswer(sessionId: string, { requestId, askedAt }: PermissionRequest) {
  // Synchronously, before anything is rendered: two clicks at once are one answer.
  const isSent = useRef(false)
  const answer = useMutation({
    mutationFn: (choice: PermissionChoice) =>
      ask('POST /api/sessions/:id/permission', {
        params: { id: sessionId },
        body: { requestId, askedAt, optionId: choice.optionId },
      }),
    onSuccess(_given, choice) {
      if (TELLS.test(choice.name)) openLetter(sessionId)
    },
    onError(error) {
      isSent.current = false
      toastError(error, 'The answer was not accepted')
    },
  })
  return {
    ...answer,
    give(choice: PermissionChoice) {
      if (isSent.current) return
      isSent.current = true
      answer.mutate(choice)
    },
  }
}

interface AgainProps {
  choice: PermissionChoice
  kind: string
  busy: boolean
  isOver: boolean
  onYes: () => void
  onBack: () => void
}

/** An answer that applies to more than this request is given in two steps. */
function AskAgain({ choice, kind, busy, isOver, onYes, onBack }: AgainProps) {
  const ref = useRef<HTMLElement>(null)
  const back = useRef<HTMLButtonElement>(null)
  useGuarded(ref)
  useEffect(() => back.current?.focus(), [])
  return (
    <section ref={ref} aria-label="Always?" className="flex flex-col gap-1.5 text-xs">
      <p>{scopeOf(choice, kind)}</p>
      <div className="flex flex-wrap gap-1.5">
        <Button size="sm" disabled={busy || isOver} onClick={onBack} ref={back}>
          Back
        </Button>
        <Button
          size="sm"
          variant="danger"
          does="POST /api/sessions/:id/permission"
          busy={busy}
          disabled={isOver}
          onClick={onYes}
        >
          Yes, always
        </Button>
      </div>
    </section>
  )
}

function Expiry({ at }: { at: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(at) - useNow()) / 60_000))
  return (
    <span className="whitespace-nowrap" title={`Answered with no at ${formatTime(at)}`}>
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

function questionOf(kind: string): string {
  return kind === 'dialog' ? 'It asks' : `May it ${ownValue(VERBS, kind) ?? 'do this'}?`
}
