// The errors for a plugin that cannot be used, and for one that is missing: the nearest name, the available names, and why others
// failed to load.
import { AoError, errorText } from '../contract/errors.ts'
import type { SlotName } from '../contract/ids.ts'
import { nearestWord } from '../core/text/nearest-word.ts'

export interface FailedPlugin {
  source: string
  error: AoError
}

export function unusable(what: string, error: unknown): AoError {
  return new AoError('PLUGIN_INVALID', `The plugin ${what} cannot be used: ${errorText(error)}`, { cause: error })
}

export interface Missing {
  slot: SlotName
  name: string
  /** Names of this slot that can be used. */
  available: readonly string[]
  /** External plugins that could not be loaded: the missing one may be among them. */
  failed: readonly FailedPlugin[]
}

export function missingPlugin({ slot, name, available, failed }: Missing): AoError {
  const nearest = nearestWord(name, available)
  const meant = nearest === null ? '' : ` Did you mean ${nearest}?`
  const message = `There is no ${slot} plugin ${name}.${meant} There are: ${available.join(', ') || 'none'}`
  const details = { slot, name, available, suggestion: nearest ?? undefined }
  const untrusted = failed.find(({ error }) => error.code === 'CONFIG_UNTRUSTED')
  if (untrusted) {
    return new AoError(
      'CONFIG_UNTRUSTED',
      `${message}. It may come from ${untrusted.source}, which you have not trusted`,
      {
        details: { ...details, ...untrusted.error.details },
      },
    )
  }
  const others = failed.map(({ error }) => `. ${error.message}`).join('')
  return new AoError('PLUGIN_NOT_FOUND', `${message}${others}`, { details })
}
