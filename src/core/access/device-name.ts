// The name of a device as a person reads it in lists and histories: one line, nothing invisible, never empty.
import { showHidden } from '../text/show-hidden.ts'

const LONGEST = 60

/** null: nothing is left of it. */
export function cleanDeviceName(text: string): string | null {
  const name = showHidden(text.replaceAll(/\s+/g, ' ').trim()).slice(0, LONGEST).trim()
  return name === '' ? null : name
}
