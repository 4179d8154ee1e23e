// Suggestions of remarks, applied by a button: one at its thread, or all open ones together.
import { useMutation } from '@tanstack/react-query'
import type { PullDetail, PullRemark } from '../../../../src/contract/dashboard/answers.ts'
import { readSuggestion } from '../../../../src/core/forge/suggestion.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { toast, toastError } from '../../ui/overlay/toast.tsx'
import { pullParams } from '../pulls/pull-labels.ts'

/** Its lines are still what it was written about, and nobody has settled it. */
function canApply({ pull }: PullDetail, remark: PullRemark): boolean {
  const { isResolved, isOutdated, line, path, body } = remark
  const isOpen =
    pull.state === 'open' && pull.headSha !== null && !isResolved && !isOutdated && line !== null && path !== null
  return isOpen && readSuggestion(body) !== null
}

export function ApplyButton({ detail, remark }: { detail: PullDetail; remark: PullRemark }) {
  const apply = useApply(detail)
  if (!canApply(detail, remark)) return null
  return (
    <Button
      size="sm"
      icon="check"
      does="POST /api/projects/:project/pulls/:number/suggestions"
      className="mt-2"
      busy={apply.isPending}
      title="As a commit on the branch; while its agent works, as a message to it"
      onClick={() => apply.mutate([remark.id])}
    >
      Apply suggestion
    </Button>
  )
}

/** Nothing for one alone: its thread has the button. */
export function ApplyAllBar({ detail }: { detail: PullDetail }) {
  const apply = useApply(detail)
  const open = detail.remarks.filter((remark) => canApply(detail, remark))
  if (open.length < 2) return null
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-md border bg-surface px-3 py-2 text-sm">
      <Icon name="edit" className="text-muted" />
      <span className="min-w-0 flex-1">{open.length} suggestions can be applied.</span>
      <Button
        size="sm"
        icon="check"
        does="POST /api/projects/:project/pulls/:number/suggestions"
        busy={apply.isPending}
        onClick={() => apply.mutate(open.map(({ id }) => id))}
      >
        Apply all in one commit
      </Button>
    </div>
  )
}

function useApply({ pull }: PullDetail) {
  return useMutation({
    mutationFn: (remarks: string[]) =>
      ask('POST /api/projects/:project/pulls/:number/suggestions', {
        params: pullParams(pull),
        body: { sha: pull.headSha ?? '', remarks },
      }),
    onSuccess: ({ commit, sentTo, why, warnings }) => {
      const title = commit === null ? `Sent to ${sentTo}` : `Applied as ${commit.slice(0, 10)}`
      const heard = sentTo === null ? null : `${sentTo} was informed`
      const detail =
        commit === null ? `It is asked to apply it, because ${why}.` : [heard, ...warnings].filter(Boolean).join('. ')
      toast({ tone: commit === null ? 'attention' : 'good', title, detail })
      return queryClient.invalidateQueries({ queryKey: ['pulls', pull.projectId, pull.number] })
    },
    onError: (error) => toastError(error),
  })
}
