// The text of a configuration file, bounded. Reading terminates whatever is at that path.
import { realpathSync } from 'node:fs'
import { AoError, errorText } from '../contract/errors.ts'
import { readPlainText } from '../lib/plain-file.ts'

const LARGEST = 256 * 1024

export interface ConfigText {
  /** Real path: the same file under another name is the same configuration. */
  path: string
  text: string
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
