// The end of a review: the verdict, a few words, and all comments are sent together.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { RequestError } from '../../api/request-error.ts'
import { LeftBehind } from '../../review/left-behind.tsx'
import { isEmptyDraft } from '../../review/pending-review.ts'
import type { Review } from '../../review/use-review.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import { pullParams } from '../pulls/pull-labels.ts'

const REVIEW = 'POST /api/projects/:project/pulls/:number/review'
const VERDICTS = [
  { verdict: 'comment', title: 'Comment', about: 'Say something without a verdict.' },
  { verdict: 'approve', title: 'Approve', about: 'It may be merged.' },
  { verdict: 'request_changes', title: 'Request changes', about: 'The agent is notified and works on it.' },
] as const
type Verdict = (typeof VERDICTS)[number]['verdict']

interface Props {
  pull: PullRow
  /** The commit whose diff is shown. */
  head: string
  review: Review
  onClose: () => void
}

export function ReviewDialog({ pull, head, review: { pending, actions, ready }, onClose }: Props) {
  const typed = pending.comments.filter((comment) => comment.isDraft && !isEmptyDraft(comment))
  // Approving is never the default: it may lead to a merge.
  const [verdict, setVerdict] = useState<Verdict | null>(ready.length > 0 ? 'request_changes' : null)
  const submit = useMutation({
    mutationFn: (given: Verdict) =>
      ask(REVIEW, {
        params: pullParams(pull),
        body: {
          verdict: given,
          body: pending.body.trim(),
          sha: head,
          comments: ready.map(({ path, startLine, line, body }) => ({
            path,
            ...(startLine && { startLine }),
            line,
            body,
          })),
        },
      }),
    onSuccess(_, given) {
      actions.change(() => ({ sha: null, body: '', comments: typed }))
      toast({ tone: 'good', title: `#${pull.number}: ${DONE[given]}`, detail: `For ${head.slice(0, 10)}.` })
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['pulls'] }),
  })
  const isEmpty = pending.body.trim() === '' && ready.length === 0
  const problem = problemOf(verdict, isEmpty)
  const hasMoved = submit.error instanceof RequestError && submit.error.code === 'PR_HEAD_MOVED'
  return (
    <FormDialog
      title="Finish your review"
      action="Submit review"
      cancel="Back to the diff"
      does={REVIEW}
      disabled={problem !== null}
      runs={{ ...submit, mutate: () => verdict && submit.mutate(verdict) }}
      onClose={onClose}
    >
      <TextArea
        label="Summary"
        className="min-h-24"
        maxLength={50_000}
        placeholder="What the author should know as a whole"
        value={pending.body}
        onChange={(event) => actions.change((before) => ({ ...before, body: event.target.value }))}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Verdict</legend>
        {VERDICTS.map((one) => (
          <label key={one.verdict} className="flex cursor-pointer items-start gap-2.5 text-sm">
            <input
              type="radio"
              name="verdict"
              checked={verdict === one.verdict}
              onChange={() => setVerdict(one.verdict)}
              className="mt-1 accent-(--accent)"
            />
            <span>
              <span className="font-medium">{one.title}</span>
              <span className="block text-xs text-muted">{one.about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <p className="text-sm text-muted">
        {ready.length === 0
          ? 'There is no comment on a line.'
          : `${ready.length === 1 ? 'One comment' : `${ready.length} comments`} on lines ${ready.length === 1 ? 'goes' : 'go'} with it.`}
      </p>
      <LeftBehind count={typed.length} />
      {problem && <p className="text-sm text-attention">{problem}</p>}
      {hasMoved && <p className="text-sm">Your comments are kept: look at the new diff and submit again.</p>}
    </FormDialog>
  )
}

function problemOf(verdict: Verdict | null, isEmpty: boolean): string | null {
  if (verdict === null) return 'Choose a verdict.'
  return verdict !== 'approve' && isEmpty ? 'Write a few words here or comment on a line first.' : null
}

const DONE: Record<Verdict, string> = {
  approve: 'approved',
  request_changes: 'changes are requested',
  comment: 'commented',
}
