// Plain git by hand: one person merges one branch after the other, tests what comes out, and hands conflicts back to their agents.
// `floor` is a queue that cannot rebase: what conflicts stays out. `loop` is one agent that does all tasks, each on top of the last.
import { join } from 'node:path'
import { runCheck } from '../check.ts'
import { append } from '../log.ts'
import { rebase } from '../rebase.ts'
import { type Feature, git, tryGit } from '../workload.ts'
import type { Adapter, Day } from './adapter.ts'

/** Of the person, stated, not measured: field.md §5 has 15.6–21 minutes for one review of one pull request. */
export const MINUTES = { approve: 12, merge: 2, handBack: 3 }

export const gitByHand: Adapter = (day) => ({ work: () => mergeInOrder(day, true) })
export const floor: Adapter = (day) => ({ work: () => mergeInOrder(day, false) })
export const loop: Adapter = (day) => ({ work: () => oneAfterTheOther(day) })

async function mergeInOrder(day: Day, hasAgents: boolean): Promise<void> {
  const { repo, workload } = day
  for (const feature of workload.features) await publish(day, feature)
  for (const feature of workload.features) {
    const tree = worktree(day, feature)
    if ((await runCheck(tree, workload, 'ci')) !== 0 && (await runCheck(tree, workload, 'ci')) !== 0) continue
    act(day, 'approve', feature)
    if ((await land(day, feature)) || !hasAgents) continue
    append(workload.log, { what: 'person', act: 'hand back', feature: feature.id, minutes: MINUTES.handBack })
    const why = await rebase(tree, git(repo, 'rev-parse', 'main'), feature, workload)
    if (why !== null) {
      append(workload.log, { what: 'gave-up', feature: feature.id, why })
      continue
    }
    append(workload.log, { what: 'rebased', feature: feature.id, head: git(tree, 'rev-parse', 'HEAD') })
    act(day, 'approve', feature)
    await land(day, feature)
  }
}

async function publish({ repo, directory, workload }: Day, feature: Feature): Promise<void> {
  const tree = join(directory, 'trees', feature.id)
  git(repo, 'worktree', 'add', '--quiet', '-b', feature.id, tree, workload.firstCommit)
  append(workload.log, { what: 'started', feature: feature.id })
  git(tree, 'apply', '--index', feature.patch)
  git(tree, 'commit', '--quiet', '-m', feature.title)
  append(workload.log, { what: 'published', feature: feature.id, head: git(tree, 'rev-parse', 'HEAD') })
}

/** Merged beside the base branch, tested there, and only then the base branch. */
async function land({ repo, directory, workload }: Day, feature: Feature): Promise<boolean> {
  const tree = join(directory, 'trees', 'merge')
  if (tryGit(tree, 'checkout', '--quiet', '--detach', 'main') === null)
    git(repo, 'worktree', 'add', '--quiet', '--detach', tree, 'main')
  if (tryGit(tree, 'merge', '--quiet', '--squash', feature.id) === null) {
    git(tree, 'reset', '--quiet', '--hard', 'main')
    return false
  }
  git(tree, 'commit', '--quiet', '-m', feature.title)
  if ((await runCheck(tree, workload, 'ci')) !== 0 && (await runCheck(tree, workload, 'ci')) !== 0) return false
  append(workload.log, { what: 'person', act: 'merge', feature: feature.id, minutes: MINUTES.merge })
  git(repo, 'merge', '--quiet', '--ff-only', git(tree, 'rev-parse', 'HEAD'))
  append(workload.log, { what: 'base', commit: git(repo, 'rev-parse', 'main') })
  return true
}

async function oneAfterTheOther(day: Day): Promise<void> {
  const { repo, workload } = day
  for (const feature of workload.features) {
    await publish(day, feature)
    const tree = worktree(day, feature)
    // What the next task costs it on top of the last is what a rebase costs others.
    const why = await rebase(tree, git(repo, 'rev-parse', 'main'), feature, workload)
    if (why !== null) {
      append(workload.log, { what: 'gave-up', feature: feature.id, why })
      continue
    }
    act(day, 'approve', feature)
    await land(day, feature)
  }
}

function act({ workload }: Day, what: 'approve', feature: Feature): void {
  append(workload.log, { what: 'person', act: what, feature: feature.id, minutes: MINUTES[what] })
}

const worktree = ({ directory }: Day, { id }: Feature) => join(directory, 'trees', id)
