// Whether the plugins that the configuration chose can work here. Others that could not are no problem.
import type { PluginChoice, SlotName } from '../../../contract/config.ts'
import { pluginName, resolveLaunch, resolveWorkspace } from '../../../core/resolve-launch.ts'
import type { DetectedPlugin } from '../../../slots/registry.ts'
import type { Ao } from '../open-ao.ts'
import type { Finding } from './check.ts'

const SLOTS: readonly SlotName[] = ['runtime', 'agent', 'workspace', 'tracker', 'scm', 'notifier', 'terminal']

export async function checkPlugins(ao: Ao): Promise<Finding[]> {
  const broken = ao.registry.list().filter(({ error }) => error !== undefined)
  const findings: Finding[] = broken.map(({ manifest, source, error }) => ({
    level: 'fail',
    name: `plugin ${manifest?.name ?? source}`,
    detail: error ?? '',
    fix: 'See: ao plugin ls',
  }))
  const chosen = chosenPlugins(ao)
  for (const slot of SLOTS) findings.push(...judgeSlot(slot, await ao.registry.detect(slot), chosen[slot]))
  return findings
}

/** One line for each chosen plugin, and one for the other agents that are installed. */
function judgeSlot(slot: SlotName, detected: DetectedPlugin[], chosen: Set<string>): Finding[] {
  const findings = detected
    .filter(({ name }) => chosen.has(name))
    .map(({ name, ok, detail, fix }): Finding => {
      const level = ok ? 'pass' : slot === 'notifier' || slot === 'terminal' ? 'warn' : 'fail'
      return { level, name: `${slot} ${name}`, detail, ...(ok || fix === undefined ? {} : { fix }) }
    })
  const others = detected.filter(({ name, ok }) => ok && !chosen.has(name)).map(({ name }) => name)
  if (slot !== 'agent' || others.length === 0) return findings
  return [...findings, { level: 'pass', name: 'other agents', detail: `${others.join(', ')} could be used too` }]
}

function chosenPlugins({ config }: Ao): Record<SlotName, Set<string>> {
  const chosen = Object.fromEntries(SLOTS.map((slot) => [slot, new Set<string>()])) as Record<SlotName, Set<string>>
  const add = (slot: SlotName, choice: PluginChoice | undefined) => {
    if (choice !== undefined) chosen[slot].add(pluginName(choice))
  }
  for (const project of Object.values(config.projects)) {
    for (const role of ['worker', 'orchestrator'] as const) {
      const { agent, runtime } = resolveLaunch(config, project, role)
      add('agent', agent)
      add('runtime', runtime)
    }
    add('workspace', resolveWorkspace(config, project))
    add('tracker', project.tracker ?? config.plugins.tracker?.name)
    add('scm', project.scm ?? config.plugins.scm?.name)
    add('terminal', project.terminal ?? config.plugins.terminal?.name)
  }
  for (const name of config.defaults.notifiers ?? []) add('notifier', config.notifiers?.[name]?.plugin ?? name)
  return chosen
}
