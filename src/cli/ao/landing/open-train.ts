// What the commands of the train work with.
import { AoError } from '../../../contract/errors.ts'
import { projectDirectory } from '../../../forge/project-directory.ts'
import { openTrainFile, type TrainFile } from '../../../landing/train/train-file.ts'
import type { Io } from '../../io.ts'
import { type OpenProject, openForge } from '../pr/open-forge.ts'

export interface OpenTrain extends OpenProject {
  forge: Awaited<ReturnType<typeof openForge>>['forge']
  projectDir: string
  file: TrainFile
}

export async function openTrain(io: Io, projectId: string | undefined): Promise<OpenTrain> {
  const place = await openForge(io, projectId)
  const projectDir = projectDirectory(place.forge.context, place.project.id)
  return { ...place, projectDir, file: openTrainFile({ projectDir, clock: io.clock }) }
}

export function requireTrain({ project, config }: OpenTrain): void {
  if (project.landing?.mode === 'train') return
  throw new AoError('USAGE', `Project ${project.id} has no train`, {
    hint: `Write into ${config.configPath}, at the project: landing: { mode: train }`,
  })
}
