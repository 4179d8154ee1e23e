// After the day: what really is on the base branch. No orchestrator is asked.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Day } from './adapters/adapter.ts'
import { runCheck } from './check.ts'
import { append, readLog } from './log.ts'
import { git, type Workload } from './workload.ts'

/** Each state of the base branch, oldest first: is it green, and which changes are in it that were not before? */
export async function audit({ repo, directory, workload }: Day): Promise<void> {
  const tree = join(directory, 'trees', 'audit')
  git(repo, 'worktree', 'add', '--quiet', '--detach', tree, workload.firstCommit)
  let before = new Set<string>()
  for (const commit of statesOf(repo, workload)) {
    git(tree, 'checkout', '--quiet', '--detach', commit)
    const present = workload.features.filter(({ marker }) => existsSync(join(tree, marker))).map(({ id }) => id)
    const landed = present.filter((id) => !before.has(id))
    before = new Set(present)
    append(workload.log, { what: 'audit', commit, code: await runCheck(tree, workload, 'audit'), landed })
  }
}

/** A line of commits is known whole, also between two looks. Where branches were merged, only what was seen as the tip was ever a state. */
function statesOf(repo: string, { firstCommit, log }: Workload): string[] {
  const range = `${firstCommit}..main`
  if (git(repo, 'rev-list', '--count', '--merges', range) === '0')
    return git(repo, 'rev-list', '--reverse', range).split('\n').filter(Boolean)
  const seen = readLog(log).flatMap((one) => (one.what === 'base' ? [one.commit] : []))
  return [...new Set(seen)].filter((commit) => commit !== firstCommit)
}
