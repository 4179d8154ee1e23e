// A person rejects a file or a hunk of a change: as a commit on the branch, or as a message to its agent.
import { useMutation } from '@tanstack/react-query'
import type { DiffAnswer, PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import type { DiffFile, DiffHunk } from '../../diff/parse-diff.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { pullParams } from '../pulls/pull-labels.ts'

const TAKE_BACK = 'POST /api/projects/:project/pulls/:number/take-back'

export interface Rejected {
  file: DiffFile
  /** null: the whole file. */
  hunk: DiffHunk | null
}

interface Props {
  pull: PullRow
  /** The whole change, as it is shown. */
  answer: DiffAnswer
  rejected: Rejected
  onClose: () => void
}

export function TakeBackDialog({ pull, answer, rejected: { file, hunk }, onClose }: Props) {
  const run = useMutation({
    mutationFn: (asMessage: boolean) =>
      ask(TAKE_BACK, {
        params: pullParams(pull),
        body: {
          sha: answer.head,
          base: answer.base,
          path: file.path,
          ...(file.oldPath !== file.path && file.change !== 'copied' && { oldPath: file.oldPath }),
          ...(hunk && { hunk: rangeOf(hunk) }),
          ...(asMessage && { asMessage }),
        },
      }),
    onSuccess({ commit, sentTo, why }) {
      const title =
        commit === null ? `${sentTo} gets a message to take it back` : `Taken back as ${commit.slice(0, 10)}`
      toast({ tone: 'good', title, detail: commit === null && why !== null ? `Without a commit: ${why}` : null })
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['pulls'] }),
  })
  const lines = hunk && rangeOf(hunk)
  return (
    <FormDialog
      title="Take back this part of the change?"
      action="Commit it"
      does={TAKE_BACK}
      runs={{ ...run, mutate: () => run.mutate(false) }}
      other={
        pull.sessionId !== null && (
          <Button does={TAKE_BACK} busy={run.isPending} onClick={() => run.mutate(true)}>
            Ask its agent
          </Button>
        )
      }
      onClose={onClose}
    >
      <p className="text-sm">
        <code className="font-mono break-all">
          <Visible text={file.path} />
        </code>
        {lines && (lines.newLines === 0 ? `, after line ${lines.newStart}` : `, from line ${lines.newStart}`)} becomes
        what it was at <code className="font-mono">{answer.base.slice(0, 10)}</code>, where the change starts. While the
        agent works, it gets a message instead.
      </p>
    </FormDialog>
  )
}

function rangeOf({ oldStart, newStart, lines }: DiffHunk) {
  const count = (side: 'oldLine' | 'newLine') => lines.filter((line) => line[side] !== null).length
  return { oldStart, oldLines: count('oldLine'), newStart, newLines: count('newLine') }
}
