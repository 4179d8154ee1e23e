// The texts that a configuration is made of: the repository's file, and the user's own below it where there is one. Bounded:
// reading terminates whatever is at that path.
import { realpathSync } from 'node:fs'
import { AoError, errorText } from '../contract/errors.ts'
import { readPlainText } from '../lib/plain-file.ts'
import { type ConfigLocation, findConfig, resolveLocation, userConfigPath } from './find-config.ts'

const LARGEST = 256 * 1024

export interface ConfigText {
  /** Real path: the same file under another name is the same configuration. */
  path: string
  text: string
}

export interface LayerTexts {
  /** The file that was found: of a repository, or the user's own where no other applies. */
  main: ConfigText
  /** The user's own file below it; null: there is none, or it is the main one. */
  user: ConfigText | null
  /** The user's own file is the only one that was found. */
  isUsersOnly: boolean
}

export function readLayers(location: ConfigLocation): LayerTexts {
  const found = findConfig(location)
  const main = readConfig(found.path)
  const userPath = userConfigPath(resolveLocation(location))
  const user = userPath === null ? null : readConfig(userPath)
  const isSame = user !== null && user.path === main.path
  return { main, user: isSame ? null : user, isUsersOnly: found.how === 'global' }
}

export function readConfig(path: string): ConfigText {
  try {
    const real = realpathSync(path)
    return { path: real, text: readPlainText(real, { maxBytes: LARGEST }) }
  } catch (error) {
    if (error instanceof AoError) throw refused(path, error)
    throw new AoError('CONFIG_INVALID', `${path} cannot be read: ${errorText(error)}`, {
      hint: 'Check that the file exists and that you may read it',
      details: { file: path },
      cause: error,
    })
  }
}

function refused(path: string, { message, details }: AoError): AoError {
  return new AoError('CONFIG_INVALID', message, {
    hint: 'Name another file with: --config <path>',
    details: { ...details, file: path },
  })
}
