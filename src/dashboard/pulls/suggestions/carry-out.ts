// What a person decided about the lines of a pull request: a commit on its branch, or a message to its agent where a commit would
// disturb it.
import type { SuggestionsAnswer } from '../../../contract/dashboard/answers.ts'
import { AoError } from '../../../contract/errors.ts'
import { chooseSuggestionWay } from '../../../core/forge/suggestion-way.ts'
import type { PullTarget } from '../pull-change.ts'
import type { PullBranch } from './open-branch.ts'

export interface Decision {
  /** After "cannot be": "applied", "taken back". */
  verb: string
  /** For the agent, if it has to do it. */
  message: string
  /** The agent is asked in any case. */
  asMessage?: boolean | undefined
  commit: () => Promise<{ commit: string; warnings: string[] }>
  /** For the agent, after the commit. */
  report: (commit: string) => string
}

export async function carryOut(
  { context }: PullTarget,
  { session, tip, obstacle }: PullBranch,
  { head, verb, message, asMessage = false, commit: makeCommit, report }: Decision & { head: string },
): Promise<SuggestionsAnswer> {
  const { manager } = context
  const way = chooseSuggestionWay({ session, tip, head, obstacle })
  if (way.kind === 'refuse') throw new AoError('SCM_FAILED', `It cannot be ${verb} here: ${way.why}`)
  const to = way.kind === 'send' ? way.to : asMessage ? way.hearer : null
  if (asMessage && to === null) throw new AoError('SCM_FAILED', 'No agent is there to be asked')
  if (to !== null) {
    const { level, why } = await manager.deliver(to, message, { source: 'user' })
    if (level === 'undelivered')
      throw new AoError('MESSAGE_UNDELIVERED', `The request did not reach ${to}: ${why ?? ''}`)
    return { commit: null, sentTo: to, receipt: level, why: way.kind === 'send' ? way.why : null, warnings: [] }
  }
  const { commit, warnings } = await makeCommit()
  const hearer = way.kind === 'commit' ? way.hearer : null
  if (hearer === null) return { commit, sentTo: null, receipt: null, why: null, warnings }
  const { level } = await manager.deliver(hearer, report(commit), { source: 'user' })
  return { commit, sentTo: hearer, receipt: level, why: null, warnings }
}
