// What killed commands left of tasks: sessions that were never reserved, a choice or an accepted plan that was not
// carried out.
import { errorText } from '../../contract/errors.ts'
import { mayBeAlive } from '../../lib/process/process-identity.ts'
import { openTasks, readTask } from '../../store/tasks.ts'
import { type ManagerContext, projectIds } from '../context.ts'
import { recover } from '../remove/recover.ts'
import { finishReturns } from '../remove/rewind.ts'
import { carryOutChoice } from './choose.ts'
import { completeReservation } from './spawn-task.ts'
import { carryOutSplit } from './split.ts'

/** Sessions first: what a task needs may be among them. */
export async function recoverAll(
  context: ManagerContext,
  projectId?: string,
  onFailure?: (sessionId: string, why: string) => void,
): ReturnType<typeof recover> {
  const recovered = await recover(context, projectId, onFailure)
  recovered.push(...(await finishReturns(context, projectIds(context, projectId), onFailure)))
  for (const id of projectIds(context, projectId)) await settleTasks(context, id)
  return recovered
}

/** Of the tasks that are kept with this project. One that cannot be settled now stays, and the next command tries again. */
export async function settleTasks(context: ManagerContext, projectId: string): Promise<void> {
  const { dir } = context.paths.project(projectId)
  for (const id of openTasks(dir)) {
    try {
      const task = readTask(dir, id)
      if (!task || mayBeAlive(task.owner)) continue
      if (task.kind === 'split') await carryOutSplit(context, task)
      else if (!task.reserved) await completeReservation(context, task)
      else if (task.chosen !== undefined) {
        const { failed } = await carryOutChoice(context, task)
        for (const { session, why } of failed) context.log.warn(`task ${id}: ${session} could not be ended: ${why}`)
      }
    } catch (error) {
      context.log.warn(`task ${id} could not be settled: ${errorText(error)}`)
    }
  }
}
