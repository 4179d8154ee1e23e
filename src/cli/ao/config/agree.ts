// Asks for consent on the terminal, after everything was shown.
import type { TrustItem } from '../../../config/trust/trust-items.ts'
import { AoError } from '../../../contract/errors.ts'
import { askYesNo } from '../../arguments/read-text.ts'
import type { Io } from '../../print/io.ts'

export interface AgreeOptions {
  configPath: string
  items: readonly TrustItem[]
  yes: boolean
  /** How to agree without a terminal. */
  hint: string
}

/** Shows everything; throws unless the user consents. */
export async function agree({ configPath, items, yes, hint }: AgreeOptions, io: Io): Promise<void> {
  const shown = items.flatMap(({ what, lines = [] }) => [`  ${what}`, ...lines.map((line) => `      ${line}`)])
  const text = `${configPath} asks for your consent:\n${shown.join('\n')}`
  if (yes) return void io.note(text)
  if (!io.stdin.isTTY || !io.noteIsTerminal) {
    throw new AoError('CONFIG_UNTRUSTED', text, {
      hint,
      details: { configPath, items: items.map(({ what }) => what) },
    })
  }
  io.note(text)
  if (await askYesNo('Do you agree to all of this?', io)) return
  throw new AoError('CONFIG_UNTRUSTED', 'Nothing was changed', { hint: 'Run it again when you have read it' })
}
