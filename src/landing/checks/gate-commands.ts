// `gates:` of a project as checks: commands that run like those of CI, and rules that ao answers itself.
import type { ProjectConfig } from '../../contract/config.ts'
import { gateName } from '../../core/landing/gate-name.ts'
import type { GateRule } from '../../core/landing/judge-change.ts'
import type { CiCommand } from './check-store.ts'

const DEFAULT_TIMEOUT_S = 600

export function gateCommands({ gates = [] }: Pick<ProjectConfig, 'gates'>): CiCommand[] {
  return gates.map(({ name, run, timeout = DEFAULT_TIMEOUT_S, where = 'place', coverage, ...rule }) => ({
    name: gateName(name),
    run: run ?? describeRule(rule),
    timeoutMs: timeout * 1000,
    rule: run === undefined ? rule : undefined,
    where: run === undefined ? undefined : where,
    coverage,
  }))
}

/** Another rule under the same name is another check: its results are not taken over. */
function describeRule(rule: GateRule): string {
  return `ao checks ${JSON.stringify(rule)}`
}
