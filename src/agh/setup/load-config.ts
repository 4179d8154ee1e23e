// `config.toml`, validated. Without the file all defaults apply.
import { type AghConfig, aghConfigSchema } from '../../contract/agh/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { AghPaths } from '../paths.ts'
import { explainProblems } from './explain-problems.ts'

export async function loadAghConfig(paths: AghPaths): Promise<AghConfig> {
  const text = readIfThere(paths.config)
  if (text === null) return aghConfigSchema.parse({})
  const { parse } = await import('smol-toml')
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw invalid(paths, errorText(error), error)
  }
  const checked = aghConfigSchema.safeParse(value)
  if (checked.success) return checked.data
  throw invalid(paths, await explainProblems(aghConfigSchema, value), checked.error)
}

function invalid(paths: AghPaths, why: string, cause: unknown): AoError {
  return new AoError('CONFIG_INVALID', `${paths.config} is wrong: ${why}`, { hint: 'Correct the file', cause })
}
