// Whether every plugin that a configuration names exists and takes the options that it is given. Creates none of them.

import type { ConfigProblem } from '../config/config-problems.ts'
import { invalidLayer } from '../config/load-config.ts'
import type { ParsedConfig } from '../config/parse-config.ts'
import { enabledExternals } from '../config/trust/enabled-externals.ts'
import type { OrchestratorConfig } from '../contract/config.ts'
import { type ChosenPlugin, chosenPlugins } from '../core/session/chosen-plugins.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import { findOptionProblems } from '../slots/plugin.ts'
import { BUILTIN_PLUGINS } from './builtin.ts'

/** Throws CONFIG_INVALID with every problem. */
export async function checkPlugins(config: OrchestratorConfig, { layers }: ParsedConfig): Promise<void> {
  // Only an external plugin's own code knows its name, so with one present no name is judged.
  const areAllKnown = enabledExternals(config).length === 0
  const problems = await Promise.all(
    chosenPlugins(config).map(async (chosen) => {
      const builtin = BUILTIN_PLUGINS.find(({ slot, name }) => slot === chosen.slot && name === chosen.name)
      if (builtin === undefined) return areAllKnown ? [unknown(chosen)] : []
      if (chosen.options === null || !areAllKnown) return []
      const { plugin } = await builtin.load()
      return findOptionProblems(plugin, chosen.options).map(
        ({ path, message }): ConfigProblem => ({ path: [...chosen.path, ...path], message }),
      )
    }),
  )
  const all = problems.flat()
  if (all.length > 0) throw invalidLayer(layers, all)
}

function unknown({ slot, name, path }: ChosenPlugin): ConfigProblem {
  const known = BUILTIN_PLUGINS.filter((plugin) => plugin.slot === slot).map((plugin) => plugin.name)
  const suggestion = nearestWord(name, known) ?? undefined
  return { path, message: `there is no ${slot} plugin ${name}; there are: ${known.join(', ')}`, suggestion }
}
