// Who may ride at all, whatever a person says.
import type { Below } from '../../core/landing/decide-train.ts'
import { commandsSince } from '../../landing/checks/check-store.ts'
import type { LocalPull } from '../pulls/pull-events.ts'
import type { ObservedPull } from '../pulls/pull-view.ts'
import type { LocalForge } from '../types.ts'

/** null: nothing prevents it. */
export function boardingObstacle(
  forge: LocalForge,
  { stored: pull, review, headSha, from }: ObservedPull,
  below?: Below | undefined,
): string | null {
  if (pull.draft) return 'it is a draft'
  if (review === 'changes_requested') return 'changes are requested'
  if (pull.base !== forge.project.defaultBranch && below === undefined)
    return `its base is ${pull.base}, and the train goes to ${forge.project.defaultBranch}`
  const failed = rulesOf(forge, headSha, from).find(({ status }) => status === 'failed')
  return failed ? `${failed.name} does not allow it` : null
}

/** Of sessions alone: a branch of people may stay after it was merged, and be what others are for. */
export function pullBelow(forge: LocalForge, pulls: readonly LocalPull[], above: LocalPull): LocalPull | null {
  const { defaultBranch } = forge.project
  if (above.base === defaultBranch || above.session === null) return null
  const found = pulls.filter(({ head, session, number }) => {
    return head === above.base && session !== null && number !== above.number
  })
  const isLanded = ({ state, base }: LocalPull) => state === 'merged' && base === defaultBranch
  return found.find(({ state }) => state === 'open') ?? found.findLast(isLanded) ?? null
}

/** Rules that have not been answered for this head; cars do not ask them. */
export function openRules(forge: LocalForge, { headSha, from }: ObservedPull): string[] {
  return rulesOf(forge, headSha, from).flatMap(({ name, status }) => (status === 'passed' ? [] : [name]))
}

function rulesOf(
  { options, checks }: LocalForge,
  head: string,
  from: string | null,
): Array<{ name: string; status: string }> {
  return commandsSince(options.ci, from ?? '')
    .filter(({ rule }) => rule !== undefined)
    .map((command) => ({ name: command.name, status: checks.read(head, command)?.status ?? 'pending' }))
}
