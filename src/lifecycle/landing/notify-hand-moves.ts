// A base branch that moved without a merge of ao, as a person hears of it: once for each move.
import type { ProjectConfig } from '../../contract/config.ts'
import type { OwnTrain } from '../../landing/own-train.ts'
import { handMoveText, markSent } from '../../landing/watch/hand-moves.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export async function notifyHandMoves(
  loop: LoopContext,
  train: OwnTrain,
  { project, projectDir }: { project: ProjectConfig; projectDir: string },
): Promise<void> {
  const { id, name, defaultBranch } = project
  for (const move of await train.handMoves(projectDir, loop.context.clock.now())) {
    await loop.notify({
      type: 'landing.moved',
      projectId: id,
      priority: move.isOnRemote ? 'info' : 'urgent',
      message: `${name}: ${handMoveText(move, defaultBranch)}; see it with: git log -p ${move.from.slice(0, 10)}..${move.to.slice(0, 10)}`,
      dedupeKey: `base-moved ${id} ${move.from} ${move.to} ${move.at}`,
    })
    markSent(projectDir, move)
  }
}
