// Whether every plugin that a configuration names exists and takes the options that it is given. Creates none of them.

import type { ConfigProblem } from '../config/config-problems.ts'
import { invalidLayer, type ParsedConfig } from '../config/load-config.ts'
import { enabledExternals } from '../config/trust/resolve-external.ts'
import type { OrchestratorConfig } from '../contract/config.ts'
import { splitPlace } from '../core/place/choose-place.ts'
import { type ChosenPlugin, chosenPlugins } from '../core/session/chosen-plugins.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import { findOptionProblems, type Plugin } from '../slots/plugin.ts'
import { BUILTIN_PLUGINS } from './builtin.ts'

/** Throws CONFIG_INVALID with every problem. */
export async function checkPlugins(config: OrchestratorConfig, { layers }: ParsedConfig): Promise<void> {
  // Only an external plugin's own code knows its name, so with one present no name is judged.
  const areAllBuiltIn = enabledExternals(config).length === 0
  const problems = await Promise.all(
    [...chosenPlugins(config), ...engines(config)].map(async (chosen) => {
      const builtin = BUILTIN_PLUGINS.find(({ slot, name }) => slot === chosen.slot && name === chosen.name)
      if (builtin === undefined) return areAllBuiltIn ? [unknown(chosen)] : []
      if (!areAllBuiltIn) return []
      const { plugin } = await builtin.load()
      return checkOptions(plugin, chosen, config)
    }),
  )
  const all = problems.flat()
  if (all.length > 0) throw invalidLayer(layers, all)
}

/** The engines of places, with the options of the place. */
function engines({ places = {} }: OrchestratorConfig): ChosenPlugin[] {
  return Object.entries(places).map(([place, config]) => {
    const { type: name, options } = splitPlace(config)
    return { slot: 'runtime' as const, name, path: ['places', place], options }
  })
}

function checkOptions(plugin: Plugin, chosen: ChosenPlugin, config: OrchestratorConfig): ConfigProblem[] {
  const { slot, name, path: at, options } = chosen
  if (options !== null) {
    return findOptionProblems(plugin, options).map(({ path, message }) => ({ path: [...at, ...path], message }))
  }
  const ofSlot = config.plugins[slot]
  const isOfSlot = ofSlot?.name === name
  const problems = findOptionProblems(plugin, isOfSlot ? (ofSlot.config ?? {}) : {})
  const [group, , key] = at
  // Those of the slot are reported where they are written.
  if (group === 'plugins' && key === 'name') {
    return problems.map(({ path, message }) => ({ path: ['plugins', slot, 'config', ...path], message }))
  }
  if (isOfSlot || problems.length === 0) return []
  const needs = problems.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ')
  const where = `plugins: { ${slot}: { name: ${name}, config: { … } } }`
  return [{ path: at, message: `${name} needs options (${needs}); give them with ${where}` }]
}

function unknown({ slot, name, path }: ChosenPlugin): ConfigProblem {
  const builtIn = BUILTIN_PLUGINS.filter((plugin) => plugin.slot === slot).map((plugin) => plugin.name)
  const suggestion = nearestWord(name, builtIn) ?? undefined
  return { path, message: `there is no ${slot} plugin ${name}; there are: ${builtIn.join(', ')}`, suggestion }
}
