// Work that is due by its schedule, or that something has triggered, unless the project has spent what it may today.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { mayAddReviews } from '../spending/review-capacity.ts'
import type { LoopContext } from './loop-context.ts'
import { maySpend } from './start-backlog.ts'

export async function startScheduled(loop: LoopContext, project: ProjectConfig): Promise<void> {
  const schedules = Object.keys(project.schedules ?? {})
  const triggers = Object.keys(project.triggers ?? {})
  if (schedules.length + triggers.length === 0 || !maySpend(loop, project)) return
  const failures: string[] = []
  const start = async (what: string, ask: () => ReturnType<LoopContext['manager']['startDue']>) => {
    if (!mayAddReviews(loop, project)) return
    try {
      const answer = await ask()
      if (answer === null) return
      if ('session' in answer) loop.say(`${answer.session.id}: started by ${what}`)
      else loop.say(`${project.id}: ${what} started nothing: ${answer.skipped}`)
    } catch (error) {
      // The others have their turn all the same.
      failures.push(`${what}: ${errorText(error)}`)
    }
  }
  for (const name of schedules) await start(`the schedule ${name}`, () => loop.manager.startDue(project.id, name))
  for (const name of triggers) await start(`the trigger ${name}`, () => loop.manager.startTriggered(project.id, name))
  if (failures.length > 0) throw new Error(failures.join('; '))
}
