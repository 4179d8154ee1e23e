// Whether every plugin named in a configuration exists. Loads none of them: only an external plugin's own code knows its
// name, so with one present nothing is judged.
import { invalidLayer } from '../../../config/load-config.ts'
import type { ParsedConfig } from '../../../config/parse-config.ts'
import { enabledExternals } from '../../../config/trust/enabled-externals.ts'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { chosenPlugins } from '../../../core/session/chosen-plugins.ts'
import { nearestWord } from '../../../core/text/nearest-word.ts'
import { BUILTIN_PLUGINS } from '../../../plugins/builtin.ts'

/** Throws CONFIG_INVALID with every unknown plugin name. */
export function checkPluginNames(config: OrchestratorConfig, { layers }: ParsedConfig): void {
  if (enabledExternals(config).length > 0) return
  const problems = chosenPlugins(config).flatMap(({ slot, name, path }) => {
    const known = BUILTIN_PLUGINS.filter((plugin) => plugin.slot === slot).map((plugin) => plugin.name)
    if (known.includes(name)) return []
    const suggestion = nearestWord(name, known)
    const message = `there is no ${slot} plugin ${name}; there are: ${known.join(', ')}`
    return [{ path, message, suggestion: suggestion ?? undefined }]
  })
  if (problems.length === 0) return
  throw invalidLayer(layers, problems)
}
