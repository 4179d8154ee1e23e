// When a screen shows what a person did to it. Terminal agents draw a typed letter late, and after a change of the size they
// empty the screen before they draw it again: until then a draft in the input line is not visible.

export interface ScreenProgress {
  /** Since a person typed or changed the size. */
  sinceTouchMs: number
  /** Since the last output. */
  sinceChangeMs: number
}

/** Between emptying and drawing a real agent was seen to pause for 0.3 s. */
const REDRAWN_MS = 600
const QUIET_MS = 250
/** A screen that never settles (a spinner) must not hold anybody up. */
const RESTLESS_MS = 1_500

export function isScreenSettled({ sinceTouchMs, sinceChangeMs }: ScreenProgress): boolean {
  return sinceTouchMs >= RESTLESS_MS || (sinceTouchMs >= REDRAWN_MS && sinceChangeMs >= QUIET_MS)
}
