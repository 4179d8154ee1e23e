// Sends a review to the agent as one message, with the receipt of how far it got.

import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { reviewMessage } from '../../../src/core/prompt/review-message.ts'
import { ask } from '../api/client.ts'
import { textOfLines } from '../diff/diff-comment.ts'
import type { DiffFile } from '../diff/parse-diff.ts'
import { RECEIPTS } from '../session/message-composer.tsx'
import { FormDialog } from '../ui/overlay/form-dialog.tsx'
import { toast } from '../ui/overlay/toast.tsx'
import { TextArea } from '../ui/text-field.tsx'
import { LeftBehind } from './left-behind.tsx'
import { isEmptyDraft } from './pending-review.ts'
import type { Review } from './use-review.tsx'

const SEND = 'POST /api/sessions/:id/send'
/** The server takes no longer message. */
const LONGEST = 100_000

interface Props {
  card: Pick<SessionCard, 'id' | 'can'>
  review: Review
  files: readonly DiffFile[]
  onClose: () => void
}

export function SendReviewDialog({ card, review, files, onClose }: Props) {
  const { pending, actions, ready } = review
  const typed = pending.comments.filter((comment) => comment.isDraft && !isEmptyDraft(comment))
  const message = useMemo(
    () =>
      reviewMessage({
        summary: pending.body,
        comments: ready.map(({ path, startLine, line, body, isLost }) => ({
          path,
          startLine: startLine ?? null,
          line,
          code: isLost ? null : textOfLines(files, path, { startLine, line }),
          body,
        })),
      }),
    [pending.body, ready, files],
  )
  const send = useMutation({
    mutationFn: async () => {
      const { receipt } = await ask(SEND, { params: { id: card.id }, body: { message } })
      if (receipt.level === 'undelivered') throw new Error(receipt.why ?? 'The message was not delivered')
      return receipt
    },
    onSuccess(receipt) {
      actions.change((before) => ({
        sha: typed.length === 0 ? null : before.sha,
        body: '',
        // A review begun in another tab meanwhile stays.
        comments: before.comments.filter(({ id }) => !ready.some((sent) => sent.id === id)),
      }))
      const { text: outcome } = RECEIPTS[receipt.level]
      const tone = receipt.level === 'seen' ? 'good' : 'attention'
      toast({ tone, title: `Review sent to ${card.id}`, detail: [outcome, receipt.why].filter(Boolean).join(': ') })
      onClose()
    },
  })
  const isEmpty = pending.body.trim() === '' && ready.length === 0
  const problem = card.can.send
    ? isEmpty
      ? 'Write a few words here or comment on a line first.'
      : message.length > LONGEST
        ? 'It is too long for one message: remove some comments and send them afterwards.'
        : null
    : 'Its agent is not running: restore the session first. Your comments are kept.'
  return (
    <FormDialog
      title={`Send your review to ${card.id}`}
      action="Send to the agent"
      cancel="Back to the diff"
      icon="send"
      does={SEND}
      disabled={problem !== null}
      runs={send}
      wide
      onClose={onClose}
    >
      <TextArea
        label="Summary"
        className="min-h-20"
        maxLength={50_000}
        placeholder="What the agent should know as a whole"
        value={pending.body}
        onChange={(event) => actions.change((before) => ({ ...before, body: event.target.value }))}
      />
      <details className="text-sm" open={ready.length > 0 && ready.length < 4}>
        <summary className="text-muted">
          The message, with {ready.length === 1 ? 'one comment' : `${ready.length} comments`}
        </summary>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="mt-2 max-h-64 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
        >
          {message}
        </pre>
      </details>
      <LeftBehind count={typed.length} />
      {problem && <p className="text-sm text-attention">{problem}</p>}
    </FormDialog>
  )
}
