// Suggestions as one commit on top of the head that the person saw. The forge gets it first, where there is one elsewhere: a push
// that is refused leaves everything as it was.
import { AoError } from '../../../contract/errors.ts'
import { applyEdits } from '../../../core/forge/suggestion.ts'
import { oneLine } from '../../../core/prompt/fence-untrusted.ts'
import { commitFiles, readFileAt } from '../../../git/commit-files.ts'
import { lastLines, tryGit } from '../../../git/git.ts'
import { gitOn } from '../../../git/repository.ts'
import { pushBranch } from '../../../landing/hosted/remote-branches.ts'
import type { PullBranch } from './open-branch.ts'

export interface PlacedSuggestion {
  id: string
  author: string
  thread: string | null
  path: string
  /** The lines that it replaces, in the head. */
  from: number
  to: number
  lines: string[]
}

export interface SuggestedCommit {
  head: string
  number: number
  suggestions: readonly PlacedSuggestion[]
}

export async function commitSuggestions(branch: PullBranch, given: SuggestedCommit): Promise<string> {
  const { head, number, suggestions } = given
  const files = await editedFiles(branch, given)
  const people = [...new Set(suggestions.map(({ author }) => oneLine(author)))].join(', ')
  const what = suggestions.length === 1 ? 'a suggestion' : `${suggestions.length} suggestions`
  const message = `Apply ${what} from the review of #${number}\n\nSuggested by ${people}.`
  const commit = await commitFiles(branch.repository, { parent: head, files, message })
  await publish(branch, head, commit)
  return commit
}

async function editedFiles({ repository }: PullBranch, { head, suggestions }: SuggestedCommit) {
  const paths = [...new Set(suggestions.map(({ path }) => path))]
  return Promise.all(
    paths.map(async (path) => {
      const file = await readFileAt(repository, head, path)
      if (file === null) throw new AoError('SCM_FAILED', `${path} is not a text file that ao can change`)
      const text = applyEdits(
        file.text,
        suggestions.filter((one) => one.path === path),
      )
      if (text === null) {
        throw new AoError('USAGE', `Two suggestions in ${path} are about the same lines, or the lines are not there`, {
          hint: 'Apply one of them, then look at the other again',
        })
      }
      if (text !== file.text) return { path, mode: file.mode, text }
      throw new AoError('USAGE', `The suggestion for ${path} changes nothing`)
    }),
  )
}

export async function publish(
  { repository, name, checkout, remote }: PullBranch,
  head: string,
  commit: string,
): Promise<void> {
  if (remote !== null) {
    const pushed = await pushBranch(remote, name, { to: commit, expected: head })
    if (pushed.kind === 'moved') throw new AoError('PR_HEAD_MOVED', `${name} was pushed to since you saw it`)
    if (pushed.kind === 'refused') throw new AoError('SCM_FAILED', `The forge did not take the commit: ${pushed.why}`)
  }
  if (checkout === null) {
    await gitOn(repository, ['update-ref', '-m', 'ao: apply suggestions', `refs/heads/${name}`, commit, head])
    return
  }
  const result = await tryGit(checkout, ['merge', '--quiet', '--ff-only', commit], { env: repository.env })
  if (result.ok) return
  const done = remote === null ? 'Nothing was changed' : 'The forge has the commit, the checkout does not'
  throw new AoError('CHECKOUT_DIRTY', `${checkout} could not follow: ${lastLines(result.stderr)}. ${done}`, {
    hint: `Bring the checkout in order, then: git -C ${checkout} merge --ff-only ${commit}`,
    details: { path: checkout, commit },
  })
}
