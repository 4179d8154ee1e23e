// The options with which a message that waits is edited or withdrawn, for ao and agh alike.
import { AoError } from '../../contract/errors.ts'

/** `text` null: it is withdrawn. */
export interface WaitingChange {
  id: string
  text: string | null
}

/** null: nothing is to be changed. */
export function waitingChange(
  { withdraw, edit, text }: { withdraw?: string | undefined; edit?: string | undefined; text?: string | undefined },
  about: { id: string; hint: string },
): WaitingChange | null {
  if (edit !== undefined && text !== undefined && withdraw === undefined) return { id: edit, text }
  if (edit === undefined && text === undefined) return withdraw === undefined ? null : { id: withdraw, text: null }
  throw new AoError('USAGE', `Give --withdraw <${about.id}>, or --edit <${about.id}> with --text <text>`, {
    hint: about.hint,
  })
}
