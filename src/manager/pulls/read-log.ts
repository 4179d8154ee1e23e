// The end of what a check of a pull request printed: a gate's, or the forge's own.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Check, Pull } from '../../contract/pull.ts'
import type { ProjectGates } from '../../landing/checks/project-gates.ts'
import type { Scm } from '../../slots/scm.ts'

export interface LogSource {
  scm: Scm | null
  project: ProjectConfig
  pull: Pick<Pull, 'pr'>
  gates: Pick<ProjectGates, 'log'> | null
}

/** '' when nobody has one. */
export async function readLogOf(
  { scm, project, pull, gates }: LogSource,
  check: Check,
  bytes: number,
): Promise<string> {
  return gates?.log(check, bytes) ?? (await scm?.getCheckLog?.(pull.pr, check, project, bytes)) ?? ''
}
