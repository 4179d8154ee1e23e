// The gates of a project whose forge is elsewhere, for everyone in this process who reads pull requests. A local forge runs
// them as part of its CI.
import { requireTrust } from '../../config/trust/trust.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { foldGates } from '../../core/landing/fold-gates.ts'
import { checksOf } from '../../forge/pulls/observe-pulls.ts'
import { isLocalScm } from '../../forge/types.ts'
import { openGates, type ProjectGates } from '../../landing/gates/project-gates.ts'
import type { PrReading, Scm } from '../../slots/scm.ts'
import type { ManagerContext } from '../context.ts'

/** null: it has none, or its forge runs them. */
export function gatesOf(
  context: Pick<ManagerContext, 'config' | 'paths' | 'env'>,
  project: ProjectConfig,
  scm: Scm | null,
): ProjectGates | null {
  if (scm === null || isLocalScm(scm)) return null
  const { config, paths, env } = context
  return openGates({
    project,
    projectDir: paths.project(project.id).dir,
    env,
    requireTrust: () => requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: ['ci'] }),
  })
}

/** Why gates of this commit cannot run now, one line each. */
export async function heldGates(
  context: Pick<ManagerContext, 'config' | 'paths' | 'env'>,
  project: ProjectConfig,
  { scm, head }: { scm: Scm | null; head: string },
): Promise<string[]> {
  if ((project.gates ?? []).length === 0) return []
  const local = isLocalScm(scm) ? checksOf(scm.forge(project), head, null) : null
  const checks = local ?? (await gatesOf(context, project, scm)?.read(head)) ?? []
  return checks.flatMap(({ name, status, note }) =>
    status === 'pending' && note !== undefined ? [`${name} cannot run now: ${note}`] : [],
  )
}

/** Adds the gates to what the forge said about open pull requests. */
export async function addGates(gates: ProjectGates | null, readings: Map<string, PrReading>): Promise<void> {
  if (gates === null) return
  for (const [sessionId, reading] of readings) {
    if (reading.kind !== 'read' || reading.snapshot.state !== 'open') continue
    const checks = await gates.read(reading.snapshot.headSha)
    readings.set(sessionId, { kind: 'read', snapshot: foldGates(reading.snapshot, checks) })
  }
}
