// What the commands of the train work with.
import { AoError } from '../../../contract/errors.ts'
import type { TrainKind } from '../../../landing/proof/open-verifier.ts'
import { openTrainFile, type TrainFile } from '../../../landing/train/train-file.ts'
import type { Io } from '../../print/io.ts'
import { type OpenPulls, openPulls } from '../pr/open-forge.ts'

/** On whichever forge. */
export interface OpenTrain extends OpenPulls {
  file: TrainFile
  where: TrainKind
}

export async function openTrain(io: Io, projectId: string | undefined): Promise<OpenTrain> {
  const found = await openPulls(io, projectId)
  const { project, projectDir, scm } = found
  const opened = { ...found, file: openTrainFile({ projectDir, clock: io.clock }) }
  const [{ hasOwnTrain }, { canHostTrain }] = await Promise.all([
    import('../../../landing/own-train.ts'),
    import('../../../landing/hosted/hosted-train.ts'),
  ])
  if (hasOwnTrain(scm)) return { ...opened, where: { kind: 'own', train: scm.train(project) } }
  if (canHostTrain(scm)) return { ...opened, where: { kind: 'hosted', scm } }
  throw new AoError('SCM_FAILED', `Project ${project.id} has no forge that a train can run on`, {
    hint: `Set projects.${project.id}.scm to github, gitlab, forgejo or local`,
  })
}

/** The train only moves while `ao start` runs: whoever asks it for something should know. */
export async function noteIfIdle({ paths }: Pick<OpenTrain, 'paths'>, io: Io): Promise<void> {
  const { loopState, readRunState, runFiles } = await import('../../../lifecycle/loop/run-state.ts')
  if (loopState(readRunState(runFiles(paths))) !== 'dead') return
  io.note(`${io.noteStyle.yellow('warning:')} ao start is not running, so nothing lands; start it with: ao start`)
}

export function requireTrain({ project, config }: Pick<OpenTrain, 'project' | 'config'>): void {
  if (project.landing?.mode === 'train') return
  throw new AoError('USAGE', `Project ${project.id} has no train`, {
    hint: `Write into ${config.configPath}, at the project: landing: { mode: train }`,
  })
}
