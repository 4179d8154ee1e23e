// The one way a pull request on a forge elsewhere is merged: with a train of ao's it boards that one, else the forge merges it,
// or takes it into its own queue.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PRInfo } from '../../contract/session.ts'
import { boardHosted, noteAboard, ridesHosted } from '../../landing/hosted/board-hosted.ts'
import { canHostTrain } from '../../landing/hosted/hosted-train.ts'
import type { ExpectedMerge, MergedPR, Scm } from '../../slots/scm.ts'
import type { ManagerContext } from '../context.ts'

export interface MergeOrder {
  project: ProjectConfig
  scm: Scm
  pr: PRInfo
  expected: ExpectedMerge
}

export async function mergeOrBoard(
  { paths, env, clock }: Pick<ManagerContext, 'paths' | 'env' | 'clock'>,
  { project, scm, pr, expected }: MergeOrder,
): Promise<MergedPR> {
  const boarding = { project, projectDir: paths.project(project.id).dir, env, clock }
  if (ridesHosted(project, scm, pr)) {
    await boardHosted(boarding, scm, { pr, expected: expected.sha })
    return { commit: null, boarded: true }
  }
  if (scm.mergePR) {
    const merged = await scm.mergePR(pr, expected, project)
    // `ao start` follows it through the forge's queue.
    if (merged.boarded && canHostTrain(scm)) await noteAboard(boarding, { pr, headSha: expected.sha })
    return merged
  }
  throw new AoError('SCM_FAILED', `The forge ${scm.name} cannot merge from here`, { hint: `Merge it there: ${pr.url}` })
}
