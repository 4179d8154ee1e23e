// A thread of a review: the remark, the answers to it, whose words they are, and whether it is settled.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PullDetail, PullRemark } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { toastError } from '../../ui/overlay/toast.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { pullParams } from '../pulls/pull-labels.ts'
import { ApplyButton } from './apply-suggestions.tsx'
import type { Thread } from './group-threads.ts'
import { ReplyBox } from './reply-box.tsx'

interface Props {
  detail: PullDetail
  thread: Thread
  /** The line is shown where the comment is not next to it. */
  showLines?: boolean
}

export function ThreadCard({ detail, thread, showLines = false }: Props) {
  const { first, replies } = thread
  const { pull } = detail
  const [isOpen, setOpen] = useState(!first.isResolved)
  const resolve = useResolve(detail, first, () => setOpen(first.isResolved))
  const canChange = first.thread !== null && detail.hasThreads
  return (
    <article className="rounded-md border bg-surface p-3" aria-label={`Thread by ${first.author}`}>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <Author remark={first} />
        {showLines && first.path !== null && (
          <span className="min-w-0 font-mono break-all">
            {first.path}
            {first.line !== null && !first.isOutdated && `:${linesOf(first)}`}
          </span>
        )}
        {first.isOutdated && (
          <Badge tone="attention" title="The line was changed after this was written">
            Outdated{first.line === null ? '' : `, was line ${linesOf(first)}`}
          </Badge>
        )}
        {first.isResolved && (
          <Badge tone="good" icon="check">
            Resolved
          </Badge>
        )}
        <TimeAgo at={first.createdAt} />
        <span className="ml-auto flex gap-1">
          {first.isResolved && (
            <Button size="sm" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide' : replies.length === 0 ? 'Show' : `Show (${replies.length + 1})`}
            </Button>
          )}
          {canChange && (
            <Button size="sm" variant="ghost" does="POST /api/projects/:project/pulls/:number/resolve" runs={resolve}>
              {first.isResolved ? 'Open again' : 'Resolve'}
            </Button>
          )}
        </span>
      </div>
      {isOpen && (
        <>
          <Markdown text={first.body} className="mt-1.5" />
          <ApplyButton detail={detail} remark={first} />
          {replies.length > 0 && <Replies detail={detail} replies={replies} />}
          {canChange && !first.isResolved && pull.state === 'open' && (
            <div className="mt-2">
              <ReplyBox pull={pull} thread={first.thread!} />
            </div>
          )}
        </>
      )}
    </article>
  )
}

function Replies({ detail, replies }: { detail: PullDetail; replies: readonly PullRemark[] }) {
  return (
    <ol className="mt-2.5 flex flex-col gap-2.5 border-l-2 border-line pl-3" aria-label="Replies">
      {replies.map((reply) => (
        <li key={reply.id}>
          <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
            <Author remark={reply} />
            <TimeAgo at={reply.createdAt} />
          </div>
          <Markdown text={reply.body} className="mt-1" />
          <ApplyButton detail={detail} remark={reply} />
        </li>
      ))}
    </ol>
  )
}

function Author({ remark }: { remark: PullRemark }) {
  return (
    <>
      <span className="font-medium text-ink">{remark.author}</span>
      {remark.isAgent ? <Badge tone="accent">Agent</Badge> : remark.isBot && <Badge>Bot</Badge>}
    </>
  )
}

function linesOf({ startLine, line }: PullRemark): string {
  return startLine === null ? `${line}` : `${startLine}–${line}`
}

function useResolve({ pull }: PullDetail, remark: PullRemark, onDone: () => void) {
  return useMutation({
    mutationFn: () =>
      ask('POST /api/projects/:project/pulls/:number/resolve', {
        params: pullParams(pull),
        body: { commentId: remark.id, resolved: !remark.isResolved },
      }),
    onSuccess: () => {
      onDone()
      return queryClient.invalidateQueries({ queryKey: ['pulls', pull.projectId, pull.number] })
    },
    onError: (error) => toastError(error),
  })
}
