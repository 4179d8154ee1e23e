// A comment on the pull request or one of its lines, and whether it is resolved.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PullRemark, PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { pullParams } from '../pulls/pull-words.ts'

interface Props {
  pull: PullRow
  remark: PullRemark
  /** The line is shown where the comment is not next to it. */
  showPlace?: boolean
}

export function RemarkCard({ pull, remark, showPlace = false }: Props) {
  const [isOpen, setOpen] = useState(!remark.isResolved)
  const resolve = useResolve(pull, remark, () => setOpen(remark.isResolved))
  return (
    <article className="rounded-md border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <span className="font-medium text-ink">{remark.author}</span>
        {remark.isBot && <Badge>Agent</Badge>}
        {showPlace && remark.path !== null && (
          <span className="min-w-0 font-mono break-all">
            {remark.path}
            {remark.line !== null && !remark.isOutdated && `:${linesOf(remark)}`}
          </span>
        )}
        {remark.isOutdated && (
          <Badge tone="attention" title="The line was changed after this was written">
            Outdated{remark.line === null ? '' : `, was line ${linesOf(remark)}`}
          </Badge>
        )}
        {remark.isResolved && (
          <Badge tone="good" icon="check">
            Resolved
          </Badge>
        )}
        <TimeAgo at={remark.createdAt} />
        <span className="ml-auto flex gap-1">
          {remark.isResolved && (
            <Button size="sm" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide' : 'Show'}
            </Button>
          )}
          {pull.isLocal && (
            <Button size="sm" variant="ghost" busy={resolve.isPending} onClick={() => resolve.mutate()}>
              {remark.isResolved ? 'Open again' : 'Resolve'}
            </Button>
          )}
        </span>
      </div>
      {isOpen && <Markdown text={remark.body} className="mt-1.5" />}
    </article>
  )
}

function linesOf({ startLine, line }: PullRemark): string {
  return startLine === null ? `${line}` : `${startLine}–${line}`
}

function useResolve(pull: PullRow, remark: PullRemark, onDone: () => void) {
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
    onError: (error) => toast({ tone: 'bad', title: error.message, detail: hintOf(error) }),
  })
}
