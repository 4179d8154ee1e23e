// The gates of a project whose forge is elsewhere, for everyone in this process who reads pull requests. A local forge runs
// them as part of its CI.
import { requireTrust } from '../../config/trust/trust.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import type { Pull } from '../../contract/pull.ts'
import { foldGates } from '../../core/landing/fold-gates.ts'
import { type JudgedPull, openGates, type ProjectGates } from '../../landing/checks/project-gates.ts'
import type { PrReading, Scm } from '../../slots/scm.ts'
import type { ManagerContext } from '../context.ts'

/** null: it has none, or its forge runs them. */
export function gatesOf(
  context: Pick<ManagerContext, 'config' | 'paths' | 'env'>,
  project: ProjectConfig,
  scm: Scm | null,
): ProjectGates | null {
  if (scm === null || scm.runsGates) return null
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
  { scm, ...pull }: JudgedPull & { scm: Scm | null },
): Promise<string[]> {
  if ((project.gates ?? []).length === 0) return []
  const own = scm?.runsGates ? await scm.readChecks?.(pull.head, project) : undefined
  const checks = own ?? (await gatesOf(context, project, scm)?.read(pull)) ?? []
  return checks.flatMap(({ name, status, note }) =>
    status === 'pending' && note !== undefined ? [`${name} cannot run now: ${note}`] : [],
  )
}

/** Adds the gates to what the forge said about open pull requests. */
export async function addGates(gates: ProjectGates | null, readings: Map<string, PrReading>): Promise<void> {
  if (gates === null) return
  for (const [sessionId, reading] of readings) {
    if (reading.kind !== 'read') continue
    const [snapshot, ...others] = await Promise.all(
      [reading.snapshot, ...(reading.others ?? [])].map((pull) => withGates(gates, pull)),
    )
    readings.set(sessionId, { kind: 'read', snapshot: snapshot!, others })
  }
}

export async function withGates(gates: ProjectGates | null, pull: Pull): Promise<Pull> {
  if (gates === null || pull.state !== 'open') return pull
  return foldGates(pull, await gates.read({ head: pull.headSha, base: pull.pr.baseBranch }))
}
