// The work below a session has landed: its own is for what that landed in. Its record says so first; pull requests that are still
// for the branch that is over are changed until none is left, so that nothing merges into it.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { pullNumber, pullRef } from '../../contract/ids.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { pullUrls } from '../../core/status/recorded-facts.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Footing } from '../../manager/launch/observe-blockers.ts'
import type { Scm } from '../../slots/scm.ts'
import type { LoopContext } from '../loop/loop-context.ts'

interface Retargeted {
  id: string
  record: SessionRecord
  footing: Footing
  scm: Scm | null
}

const MOST_DEAD = 20

/** false: it is not over yet, so that its branch stays as it is. */
export async function retarget(
  loop: LoopContext,
  project: ProjectConfig,
  { id, record, footing, scm }: Retargeted,
): Promise<boolean> {
  const store = loop.context.store(project.id)
  const { branch, on } = footing
  const dead = [...new Set([...(record.stack?.dead ?? []), record.baseBranch ?? ''])]
    .filter((one) => one !== '' && one !== branch)
    .slice(-MOST_DEAD)
  if (branch !== record.baseBranch || on !== record.stack?.on) {
    const rest = { dead, requested: undefined, why: undefined }
    const update = ({ stack }: SessionRecord) => ({ baseBranch: branch, stack: stack && { ...stack, on, ...rest } })
    await store.update(id, update, [], [`what it stood on has landed: its work is for ${branch}`])
    loop.say(`${id}: what it stood on has landed; its work is for ${branch}`)
    failpoint('retarget.announced')
    // The train keeps an approval where it can prove that the change is the same: it has until the next round.
    if (project.landing?.mode === 'train' && record.review === 'approved') return false
  }
  // Opened later, it may still be for the branch that is over: its agent was started with that.
  if (record.pr === undefined || !scm?.readPullRequests) return true
  const projectDir = loop.context.paths.project(project.id).dir
  const isAboard = openTrainFile({ projectDir, clock: loop.context.clock })
    .read()
    .riders.some(({ pull }) => pullUrls(record).some((url) => pullNumber(url) === pull))
  // Its train does that when its turn comes, and knows whether its approval still holds.
  if (isAboard) return false
  const queries = pullUrls(record).map((url) => ({ sessionId: url, branch: null, pr: pullRef(url) }))
  const readings = [...(await scm.readPullRequests(queries, project)).values()]
  const pulls = readings.flatMap((one) => (one.kind === 'read' && one.snapshot.state === 'open' ? [one.snapshot] : []))
  for (const { pr } of pulls.filter((one) => dead.includes(one.pr.baseBranch ?? ''))) {
    try {
      await scm.retargetPR?.(pr, branch, project)
      loop.say(`${id}: #${pr.number} is for ${branch} from now on`)
    } catch (error) {
      loop.say(`${id}: #${pr.number} could not be made for ${branch}: ${errorText(error)}`)
      return false
    }
    failpoint('retarget.done')
  }
  if (readings.some(({ kind }) => kind === 'unknown') || pulls.length === 0) return true
  await store.update(id, ({ stack }) => ({ stack: stack && { ...stack, dead: undefined } }))
  return true
}
