// The configuration, synchronously, for users of the library. Commands use load-config-cached.ts, which starts faster.
import type { OrchestratorConfig } from '../contract/config.ts'
import { configInvalid } from './config-problems.ts'
import { type ConfigPlace, findConfig, resolvePlace } from './find-config.ts'
import { finishConfig } from './finish-config.ts'
import { type ParsedConfig, parseConfig } from './parse-config.ts'
import { type ConfigText, readConfig } from './read-config.ts'

/** Without arguments: the configuration of the current directory. Throws AoError and nothing else. */
export function loadConfig(place: ConfigPlace = {}): OrchestratorConfig {
  const source = readConfig(findConfig(place).path)
  return completeConfig(source, parseConfig(source), place)
}

/** Throws CONFIG_INVALID with lines when a variable is missing or something is inconsistent. */
export function completeConfig(source: ConfigText, parsed: ParsedConfig, place: ConfigPlace): OrchestratorConfig {
  const finished = finishConfig({ file: parsed.file, configPath: source.path, ...resolvePlace(place) })
  if ('problems' in finished) throw configInvalid(source.path, finished.problems, parsed.locate)
  return finished.config
}
