// What a pull request changes, bounded: what a browser cannot show is not sent.
import type { DiffAnswer } from '../contract/dashboard/requests.ts'
import { AoError } from '../contract/errors.ts'
import { gitOn, openRepository, type Repository, tryGitOn } from '../plugins/git-workspace/repository.ts'
import { pullRange } from '../plugins/local-forge/diff-pull.ts'
import type { DashboardContext } from './context.ts'
import type { KnownPull, PullReading } from './pull-reading.ts'

const MOST_BYTES = 2 * 1024 * 1024

export async function diffOf(
  context: DashboardContext,
  { project, forge }: PullReading,
  known: KnownPull,
): Promise<DiffAnswer> {
  if (known.kind === 'local') {
    const { from, to } = await pullRange(forge!, known.view.pull)
    return { base: from, head: to, ...cut(await readDiff(forge!.repository(), from, to)) }
  }
  const repository = openRepository(project.path, context.env)
  const range = await remoteRange(repository, known)
  return { base: range.from, head: range.to, ...cut(await readDiff(repository, range.from, range.to)) }
}

/** Nothing of the person's own settings may change what the page has to read. */
const FORMAT = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--find-renames',
  '--unified=3',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

function readDiff(repository: Repository, from: string, to: string): Promise<string> {
  return gitOn(repository, ['diff', ...FORMAT, from, to, '--'], { read: true })
}

/** Work of this machine's sessions is in its repository; what somebody else pushed may not be. */
async function remoteRange(
  repository: Repository,
  known: Extract<KnownPull, { kind: 'remote' }>,
): Promise<{ from: string; to: string }> {
  const { headSha, pr } = known.snapshot
  for (const base of [`refs/remotes/origin/${pr.baseBranch}`, `refs/heads/${pr.baseBranch}`]) {
    const result = await tryGitOn(repository, ['merge-base', base, headSha], { read: true })
    if (result.ok) return { from: result.stdout.trim(), to: headSha }
  }
  throw new AoError('SCM_FAILED', `The commit ${headSha.slice(0, 10)} of ${pr.url} is not on this machine`, {
    hint: `Look at it there: ${pr.url}`,
  })
}

/** Whole files only, so that what is shown is right. The first one keeps its name at least. */
function cut(diff: string): Pick<DiffAnswer, 'diff' | 'truncated'> {
  if (diff.length <= MOST_BYTES) return { diff, truncated: false }
  const end = diff.lastIndexOf('\ndiff --git ', MOST_BYTES)
  if (end !== -1) return { diff: diff.slice(0, end + 1), truncated: true }
  const content = diff.indexOf('\n@@ ')
  return { diff: content === -1 ? '' : diff.slice(0, content + 1), truncated: true }
}
