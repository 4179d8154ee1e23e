// A person's verdict about a pull request, from the board: of the head that was on the screen, and of no other.
import { AoError } from '../../../contract/errors.ts'
import type { Intent } from '../../../core/board/board-state.ts'
import { type ManagerContext, requireActive, scmOf } from '../../../manager/context.ts'
import { reviewPull } from '../../../manager/pulls/change-pull.ts'
import { findPull } from '../../../manager/pulls/find-pull.ts'

type Verdict = Extract<Intent, { kind: 'approve' | 'request' }>

export async function giveVerdict(context: ManagerContext, verdict: Verdict): Promise<string> {
  const { sessionId, sha } = verdict
  const { project, stored } = requireActive(context, sessionId)
  const scm = await scmOf(context, project)
  const { pr: url } = stored.record
  if (scm === null || url === undefined) throw new AoError('STATE_REFUSED', `${sessionId} has no pull request`)
  const pull = await findPull({ scm, project }, url)
  if (pull.headSha !== sha) {
    const [now, before] = [pull.headSha.slice(0, 12), sha.slice(0, 12)]
    throw new AoError('PR_HEAD_MOVED', `${sessionId} was pushed to: its head is ${now}, and ${before} was shown`)
  }
  const isApproval = verdict.kind === 'approve'
  const state = isApproval ? ('approved' as const) : ('changes_requested' as const)
  const body = verdict.kind === 'request' ? verdict.text : ''
  await reviewPull({ scm, project, pr: pull.pr }, { state, body, comments: [], head: sha })
  return `${sessionId}: ${isApproval ? 'approved' : 'changes requested'} at ${sha.slice(0, 12)}`
}
