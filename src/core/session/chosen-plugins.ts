// Every plugin named in a configuration, with the key that names it. Pure.
import {
  type OrchestratorConfig,
  type PluginChoice,
  type ProjectConfig,
  pluginName,
  type SlotName,
} from '../../contract/config.ts'

export interface ChosenPlugin {
  slot: SlotName
  name: string
  /** Where it is written. */
  path: string[]
  /** Those that it gets; null: it is named alone. */
  options: Record<string, unknown> | null
}

const PROJECT_SLOTS = ['runtime', 'agent', 'workspace', 'tracker', 'scm', 'terminal'] as const
const DEFAULT_SLOTS = ['runtime', 'agent', 'workspace'] as const
const ROLES = ['worker', 'orchestrator', 'reviewer'] as const

export function chosenPlugins(config: OrchestratorConfig): ChosenPlugin[] {
  const found = [
    ...DEFAULT_SLOTS.flatMap((slot) => chosen(slot, config.defaults[slot], ['defaults', slot])),
    ...ROLES.flatMap((role) => chosen('agent', config.defaults[role]?.agent, ['defaults', role, 'agent'])),
    ...Object.entries(config.accounts ?? {}).flatMap(([name, { agent }]) =>
      chosen('agent', agent, ['accounts', name, 'agent']),
    ),
    ...Object.entries(config.plugins).flatMap(([slot, plugin]) =>
      slot === 'external' || Array.isArray(plugin)
        ? []
        : chosen(slot as SlotName, plugin?.name, ['plugins', slot, 'name']),
    ),
    ...Object.values(config.projects).flatMap((project) => ofProject(project)),
    ...notifiers(config),
  ]
  return found.map((one) => ({ ...one, options: one.options && { ...slotOptions(config, one), ...one.options } }))
}

/** What the slot's own plugin gets wherever it is chosen. */
function slotOptions({ plugins }: OrchestratorConfig, { slot, name }: ChosenPlugin): Record<string, unknown> {
  const chosen = plugins[slot]
  return chosen?.name === name ? (chosen.config ?? {}) : {}
}

function ofProject(project: ProjectConfig): ChosenPlugin[] {
  const prefix = ['projects', project.id]
  return [
    ...PROJECT_SLOTS.flatMap((slot) => chosen(slot, project[slot], [...prefix, slot])),
    ...ROLES.flatMap((role) => chosen('agent', project[role]?.agent, [...prefix, role, 'agent'])),
  ]
}

/** A name in a route is an entry of `notifiers`, or a plugin itself. */
function notifiers(config: OrchestratorConfig): ChosenPlugin[] {
  const own = config.notifiers ?? {}
  const routed = [
    ...(config.defaults.notifiers ?? []).map((name) => ({ name, path: ['defaults', 'notifiers'] })),
    ...Object.entries(config.notificationRouting ?? {}).flatMap(([priority, names]) =>
      (names ?? []).map((name) => ({ name, path: ['notificationRouting', priority] })),
    ),
  ]
  return [
    ...Object.entries(own).flatMap(([name, choice]) => chosen('notifier', choice, ['notifiers', name])),
    ...routed
      .filter(({ name }) => !Object.hasOwn(own, name))
      .flatMap(({ name, path }) => chosen('notifier', name, path)),
  ]
}

function chosen(slot: SlotName, choice: PluginChoice | undefined, path: string[]): ChosenPlugin[] {
  if (choice === undefined) return []
  return [{ slot, name: pluginName(choice), path, options: typeof choice === 'string' ? null : optionsOf(choice) }]
}

function optionsOf({ plugin: _, ...options }: Exclude<PluginChoice, string>): Record<string, unknown> {
  return options
}
