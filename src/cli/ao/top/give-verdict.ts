// A person's verdict about a pull request, from the board: of the head that was on the screen, and of no other.
import { AoError } from '../../../contract/errors.ts'
import type { Intent } from '../../../core/board/board-state.ts'
import { type ManagerContext, requireActive, scmOf } from '../../../manager/context.ts'
import { reviewPull } from '../../../manager/pulls/change-pull.ts'
import { findPull } from '../../../manager/pulls/find-pull.ts'

/** Whatever was confirmed is about the pull request that was on the screen; the record can name another one by now. */
export function requireShown(context: ManagerContext, { sessionId, url }: { sessionId: string; url: string }) {
  const { project, stored } = requireActive(context, sessionId)
  if (stored.record.pr !== url)
    throw new AoError('STATE_REFUSED', `${sessionId} has another pull request now than ${url}`)
  return project
}

type Verdict = Extract<Intent, { kind: 'approve' | 'request' }>

export async function giveVerdict(context: ManagerContext, verdict: Verdict): Promise<string> {
  const { sessionId, sha, url } = verdict
  const project = requireShown(context, verdict)
  const scm = await scmOf(context, project)
  if (scm === null) throw new AoError('STATE_REFUSED', `${sessionId} has no pull request`)
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
