// Who may ride at all, whatever a person says.
import type { Onto } from '../../core/landing/train-state.ts'
import { commandsSince } from '../../forge/forge-options.ts'
import type { PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalForge } from '../../forge/types.ts'

/** null: nothing prevents it. */
export function boardingObstacle(forge: LocalForge, { pull, review, headSha, from }: PullView): string | null {
  if (pull.draft) return 'it is a draft'
  if (review === 'changes_requested') return 'changes are requested'
  if (pull.base !== forge.project.defaultBranch)
    return `its base is ${pull.base}, and the train goes to ${forge.project.defaultBranch}`
  const failed = rulesOf(forge, headSha, from).find(({ status }) => status === 'failed')
  return failed ? `${failed.name} does not allow it` : null
}

/** Rules that have not been answered for this head; cars do not ask them. */
export function openRules(forge: LocalForge, { headSha, from }: PullView): string[] {
  return rulesOf(forge, headSha, from).flatMap(({ name, status }) => (status === 'passed' ? [] : [name]))
}

/** Offered cars that are in the history of the head and not in that of the base branch. */
export async function offersUnder(
  offers: readonly Onto[],
  { head, base, contains }: { head: string; base: string; contains(newer: string, older: string): Promise<boolean> },
): Promise<string[]> {
  const found: string[] = []
  for (const { commit } of offers)
    if ((await contains(head, commit)) && !(await contains(base, commit))) found.push(commit)
  return found
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
