// What was sent to the agent and has not reached it yet: each can be edited or withdrawn until it is delivered.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { WaitingMessage } from '../../../../src/contract/dashboard/messages.ts'
import { KEEP, useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { TextArea } from '../../ui/text-field.tsx'

interface Props {
  sessionId: string
  /** Changes whenever something happened that may have moved a message. */
  news: string
}

export function WaitingList({ sessionId, news }: Props) {
  const { data } = useAnswer(
    ['waiting', sessionId, news],
    'GET /api/sessions/:id/messages',
    { params: { id: sessionId } },
    KEEP,
  )
  const waiting = data?.waiting ?? []
  if (waiting.length === 0) return null
  return (
    <section aria-label="Waiting messages" className="flex flex-col gap-2">
      <h3 className="text-xs font-medium text-muted">
        {waiting.length === 1 ? 'One message waits' : `${waiting.length} messages wait`}
      </h3>
      <ol className="flex max-h-72 flex-col gap-2 overflow-y-auto">
        {waiting.map((message) => (
          <WaitingItem key={message.messageId} sessionId={sessionId} message={message} />
        ))}
      </ol>
    </section>
  )
}

const STATES: Record<WaitingMessage['state'], string> = {
  queued: 'Being sent',
  held: 'Held',
  behind_turn: 'After this turn',
}

function WaitingItem({ sessionId, message }: { sessionId: string; message: WaitingMessage }) {
  const { messageId, text, source, since, state, why, changeable } = message
  const [draft, setDraft] = useState<string | null>(null)
  const client = useQueryClient()
  const params = { id: sessionId, message: messageId }
  const change = useMutation({
    mutationFn: (text: string | null) =>
      text === null
        ? ask('POST /api/sessions/:id/messages/:message/withdraw', { params })
        : ask('POST /api/sessions/:id/messages/:message/edit', { params, body: { message: text } }),
    onSuccess: () => setDraft(null),
    onSettled: () => client.invalidateQueries({ queryKey: ['waiting', sessionId] }),
  })
  return (
    <li className="rounded-lg border border-dashed bg-surface px-3 py-2">
      <div className="mb-1 flex flex-wrap items-center gap-2 text-xs text-muted">
        <Badge tone="attention" icon="clock">
          {STATES[state]}
        </Badge>
        {source !== 'user' && <span className="font-medium">{source}</span>}
        <TimeAgo at={since} />
        {changeable && draft === null && (
          <span className="ml-auto flex gap-1">
            <Button
              size="sm"
              variant="ghost"
              does="POST /api/sessions/:id/messages/:message/edit"
              disabled={change.isPending}
              onClick={() => setDraft(text)}
            >
              Edit
            </Button>
            <Button
              size="sm"
              variant="ghost"
              icon="cross"
              does="POST /api/sessions/:id/messages/:message/withdraw"
              busy={change.isPending}
              onClick={() => change.mutate(null)}
            >
              Withdraw
            </Button>
          </span>
        )}
      </div>
      {draft === null ? (
        <div className="max-h-40 overflow-y-auto text-sm break-words whitespace-pre-wrap">{text}</div>
      ) : (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate(draft)
          }}
        >
          <TextArea
            autoFocus
            hideLabel
            label="Text of the waiting message"
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => event.stopPropagation()}
          />
          <div className="flex gap-2">
            <Button
              size="sm"
              variant="primary"
              type="submit"
              does="POST /api/sessions/:id/messages/:message/edit"
              busy={change.isPending}
              disabled={draft.trim() === ''}
            >
              Save
            </Button>
            <Button size="sm" variant="ghost" onClick={() => setDraft(null)}>
              Cancel
            </Button>
          </div>
        </form>
      )}
      {why && <div className="mt-1 text-xs text-muted">{why}</div>}
      {change.error && (
        <div role="alert" className="mt-1 text-xs text-bad">
          {change.error.message}
        </div>
      )}
    </li>
  )
}
