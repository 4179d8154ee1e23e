// An agent is about to be asked to rebase onto a commit that only the project's repository has. A worktree shares its objects; a
// clone gets them here; in a place `git fetch` brings them.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { prNumber } from '../../core/status/describe-session.ts'
import { runGit } from '../../git/git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { storedSessions } from '../../manager/active.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export async function offerCommit(
  { context, say }: LoopContext,
  project: ProjectConfig,
  { pull, commit }: { pull: number; commit: string },
): Promise<void> {
  const session = storedSessions(context, project.id).find((one) => prNumber(one) === pull)
  const workspace = session?.workspacePath ?? null
  const own = locateGit(project.path)?.commonDir
  const clone = workspace === null ? undefined : locateGit(workspace)?.commonDir
  if (workspace === null || own === undefined || clone === undefined || clone === own) return
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--', own, commit]
  try {
    await runGit(workspace, args, { env: context.env })
  } catch (error) {
    // The message says how the agent can fetch it.
    say(`${session?.id}: ${commit.slice(0, 10)} could not be brought to its clone: ${errorText(error)}`)
  }
}
