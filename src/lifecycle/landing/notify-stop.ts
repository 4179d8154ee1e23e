// A train that stopped, as a person hears of it.
import type { ProjectConfig } from '../../contract/config.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import type { LoopContext } from '../loop/loop-context.ts'

/** One notification for a base branch that is red, not one for each pull request. */
export async function notifyStop(loop: LoopContext, project: ProjectConfig, projectDir: string): Promise<void> {
  const { stopped } = openTrainFile({ projectDir, clock: loop.context.clock }).read()
  if (!stopped) return
  await loop.notify({
    type: 'landing.stopped',
    projectId: project.id,
    priority: 'urgent',
    message: `${project.name}: the train has stopped, because ${project.defaultBranch} itself fails ${stopped.check} at ${stopped.base.slice(0, 10)}; it continues when ${project.defaultBranch} moves, or with: ao land resume`,
    dedupeKey: `train-stopped ${project.id} ${stopped.base} ${stopped.check}`,
  })
}
