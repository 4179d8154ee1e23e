// What a pull request changes, bounded: what a browser cannot show is not sent.
import type { DiffAnswer } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { pullRange } from '../../forge/pulls/diff-pull.ts'
import { cutDiff, DIFF_FORMAT } from '../../git/cut-diff.ts'
import { gitOn, openRepository, type Repository, tryGitOn } from '../../git/repository.ts'
import type { DashboardContext } from '../server/context.ts'
import type { KnownPull, PullReading } from './pull-reading.ts'

export async function diffOf(
  context: DashboardContext,
  { project, forge }: PullReading,
  known: KnownPull,
): Promise<DiffAnswer> {
  if (known.kind === 'local') {
    const { from, to } = await pullRange(forge!, known.view.pull)
    return { base: from, head: to, ...cutDiff(await readDiff(forge!.repository(), from, to)) }
  }
  const repository = openRepository(project.path, context.env)
  const range = await remoteRange(repository, known)
  return { base: range.from, head: range.to, ...cutDiff(await readDiff(repository, range.from, range.to)) }
}

function readDiff(repository: Repository, from: string, to: string): Promise<string> {
  return gitOn(repository, ['diff', ...DIFF_FORMAT, from, to, '--'], { read: true })
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
