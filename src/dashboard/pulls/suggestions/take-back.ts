// A person rejects a file of a change, or one hunk of it: it becomes what it is where the change starts, as a commit on the branch, or
// the agent is asked to do it where a commit would disturb it. Both sides are read from git: nothing of a patch is believed.
import type { SuggestionsAnswer } from '../../../contract/dashboard/answers.ts'
import { AoError } from '../../../contract/errors.ts'
import { takeBack } from '../../../core/forge/take-back.ts'
import { oneLine } from '../../../core/prompt/fence-untrusted.ts'
import { takeBackMessage, takenBackMessage } from '../../../core/prompt/suggestions-message.ts'
import { commitFiles, findFileAt, type NewFile, readFileAt } from '../../../git/commit-files.ts'
import { verified } from '../../../git/vault/verified.ts'
import { requireAbility } from '../../../landing/read-pull.ts'
import { forgeTarget, type PullTarget, publishing } from '../pull-change.ts'
import { requireSame } from './apply-suggestions.ts'
import { carryOut } from './carry-out.ts'
import { publish } from './commit-suggestions.ts'
import { openBranch, type PullBranch } from './open-branch.ts'

export interface TakeBackRequest {
  /** The head and the start of the change that the person saw. */
  sha: string
  base: string
  path: string
  /** Of a file that was renamed. */
  oldPath?: string | undefined
  /** Absent: the whole file. */
  hunk?: { oldStart: number; oldLines: number; newStart: number; newLines: number } | undefined
  /** The agent is asked in any case. */
  asMessage?: boolean | undefined
}

export function takeBackChange(target: PullTarget, request: TakeBackRequest): Promise<SuggestionsAnswer> {
  return publishing(target, async () => {
    const { head, number } = requireSame(target, request.sha)
    const { scm, project, pr } = forgeTarget(target)
    const { from } = await requireAbility({ scm, pr }, 'readRange')(target.read.pull, project)
    if (from !== request.base) {
      throw new AoError('PR_HEAD_MOVED', `The base of pull request ${number} has moved since you saw it`, {
        hint: 'Load the page again',
      })
    }
    const branch = await openBranch(target)
    const files = await filesBefore(branch, { ...request, from, head })
    return carryOut(target, branch, {
      head,
      verb: 'taken back',
      message: takeBackMessage(number, { path: request.path, lines: linesOf(request.hunk) }),
      asMessage: request.asMessage,
      commit: async () => {
        const what = request.hunk === undefined ? 'the change' : 'a change'
        const message = `Take back ${what} to ${oneLine(request.path)}\n\nFrom the review of #${number}.`
        const commit = await commitFiles(branch.repository, { parent: head, files, message })
        await publish(branch, head, commit)
        return { commit, warnings: [] }
      },
      report: (commit) => takenBackMessage(number, { commit, files: files.map(({ path }) => path) }),
    })
  })
}

interface Range extends TakeBackRequest {
  from: string
  head: string
}

async function filesBefore({ repository }: PullBranch, range: Range): Promise<NewFile[]> {
  const { from, head, path, oldPath = path, hunk } = range
  const view = await verified(repository, [from, head])
  if (hunk !== undefined) {
    const [before, after] = [await readFileAt(view, from, oldPath), await readFileAt(view, head, path)]
    const text = before && after && takeBack(before.text, after.text, hunk)
    if (!after || text === null) throw new AoError('SCM_FAILED', `${path} has no such lines that ao can change`)
    if (text === after.text) throw new AoError('USAGE', `Nothing in these lines of ${path} was changed`)
    return [{ path, mode: after.mode, text }]
  }
  const before = await findFileAt(view, from, oldPath)
  const after = await findFileAt(view, head, path)
  const isPlain = before !== 'other' && after !== 'other' && (before !== null || after !== null)
  if (!isPlain) throw new AoError('SCM_FAILED', `${path} is not a file that ao can change`)
  if (oldPath !== path && (await findFileAt(view, head, oldPath)) !== null)
    throw new AoError('SCM_FAILED', `${oldPath} is another file now; take that one back first`)
  const restored: NewFile[] = before ? [{ path: oldPath, mode: before.mode, blob: before.blob }] : []
  const isGone = after !== null && (before === null || oldPath !== path)
  return isGone ? [...restored, { path, isRemoved: true }] : restored
}

function linesOf(hunk: TakeBackRequest['hunk']): string | null {
  if (hunk === undefined) return null
  const { newStart, newLines } = hunk
  return newLines === 0 ? `after line ${newStart}` : `lines ${newStart}-${newStart + newLines - 1}`
}
