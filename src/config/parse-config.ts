// Parses and validates the text of a configuration file. Loads the YAML parser and the schema: import it only on a cache
// miss.
import type { ConfigFile } from '../contract/config.ts'
import { configInvalid, type Locate } from './config-problems.ts'
import { parseYaml } from './parse-yaml.ts'
import type { ConfigText } from './read-config.ts'
import { validateConfig } from './validate-config.ts'

export interface ParsedConfig {
  file: ConfigFile
  locate: Locate
}

export function parseConfig({ path, text }: ConfigText): ParsedConfig {
  const { value, locate } = parseYaml(path, text)
  const validated = validateConfig(value ?? {})
  if ('problems' in validated) throw configInvalid(path, validated.problems, locate)
  // Through JSON, so that cached and freshly parsed content can never differ.
  return { file: JSON.parse(JSON.stringify(validated.file)) as ConfigFile, locate }
}
