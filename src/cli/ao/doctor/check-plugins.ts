// Whether the plugins that the configuration chose can work here. Others that could not are no problem.
import type { PluginChoice, SlotName } from '../../../contract/config.ts'
import { pluginName, resolveLaunch, resolveWorkspace } from '../../../core/session/resolve-launch.ts'
import type { DetectedPlugin } from '../../../slots/registry.ts'
import type { Ao } from '../open-ao.ts'
import type { Finding } from './check.ts'

/** Agents have a check of their own. */
const SLOTS: readonly SlotName[] = ['runtime', 'workspace', 'tracker', 'scm', 'notifier', 'terminal']

export async function checkPlugins(ao: Ao): Promise<Finding[]> {
  const broken = (await ao.registry.list()).filter(({ error }) => error !== undefined)
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

function judgeSlot(slot: SlotName, detected: DetectedPlugin[], chosen: Set<string>): Finding[] {
  return detected
    .filter(({ name }) => chosen.has(name))
    .map(({ name, ok, detail, fix }): Finding => {
      const level = ok ? 'pass' : slot === 'notifier' || slot === 'terminal' ? 'warn' : 'fail'
      return { level, name: `${slot} ${name}`, detail, ...(ok || fix === undefined ? {} : { fix }) }
    })
}

function chosenPlugins({ config }: Ao): Record<SlotName, Set<string>> {
  const chosen = Object.fromEntries(SLOTS.map((slot) => [slot, new Set<string>()])) as Record<SlotName, Set<string>>
  const add = (slot: SlotName, choice: PluginChoice | undefined) => {
    if (choice !== undefined) chosen[slot].add(pluginName(choice))
  }
  for (const project of Object.values(config.projects)) {
    add('runtime', resolveLaunch(config, project, 'worker').runtime)
    add('workspace', resolveWorkspace(config, project))
    add('tracker', project.tracker ?? config.plugins.tracker?.name)
    add('scm', project.scm ?? config.plugins.scm?.name)
    add('terminal', project.terminal ?? config.plugins.terminal?.name)
  }
  for (const name of config.defaults.notifiers ?? []) add('notifier', config.notifiers?.[name]?.plugin ?? name)
  return chosen
}
