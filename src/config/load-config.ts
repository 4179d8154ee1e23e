// The configuration, synchronously, for users of the library. Commands use load-config-cached.ts, which starts faster.
import type { OrchestratorConfig } from '../contract/config.ts'
import type { AoError } from '../contract/errors.ts'
import { type ConfigProblem, configInvalid } from './config-problems.ts'
import { type ConfigLocation, resolveLocation } from './find-config.ts'
import { finishConfig } from './finish-config.ts'
import { readLayers } from './layers/read-layers.ts'
import { layerOf, type ParsedConfig, type ParsedLayers, parseConfig } from './parse-config.ts'

/** Without arguments: the configuration of the current directory. Throws AoError and nothing else. */
export function loadConfig(location: ConfigLocation = {}): OrchestratorConfig {
  return loadParsed(location).config
}

/** The configuration with what a report about it needs: the files it is made of, and where each key is. */
export function loadParsed(location: ConfigLocation): { config: OrchestratorConfig; parsed: ParsedConfig } {
  const parsed = parseConfig(readLayers(location), resolveLocation(location).home)
  return { config: completeConfig(parsed, location), parsed }
}

/** Throws CONFIG_INVALID with lines when a variable is missing or something is inconsistent. */
export function completeConfig(parsed: ParsedConfig, location: ConfigLocation): OrchestratorConfig {
  const { file, asks, layers } = parsed
  const finished = finishConfig({ file, asks, configPath: layers.main.path, ...resolveLocation(location) })
  if ('problems' in finished) throw invalidLayer(layers, finished.problems)
  return finished.config
}

/** The problems of the file that the first of them is in. */
export function invalidLayer(layers: ParsedLayers, problems: readonly ConfigProblem[]): AoError {
  const layer = layerOf(layers, problems[0]!.path)
  const own = problems.filter(({ path }) => layerOf(layers, path) === layer)
  return configInvalid(layer.path, own, layer.locate)
}
