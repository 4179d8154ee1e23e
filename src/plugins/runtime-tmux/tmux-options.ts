// The options of the tmux runtime, checked without zod: every list of sessions loads this file, and zod takes five
// milliseconds.
import { isSafeName } from '../../contract/ids.ts'
import type { OptionsSchema } from '../../slots/plugin.ts'

export interface TmuxOptions {
  socket: string
  graceMs: number
}

const DEFAULTS: TmuxOptions = { socket: 'ao', graceMs: 3_000 }

/** What is wrong with a value; null: nothing. */
const CHECKS: Record<keyof TmuxOptions, (value: unknown) => string | null> = {
  socket: (value) => {
    if (typeof value !== 'string') return 'must be text'
    return isSafeName(value) ? null : 'may hold letters, digits, - and _ only'
  },
  graceMs: (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
    return value < 0 ? 'must not be negative' : null
  },
}

export const tmuxOptions: OptionsSchema<TmuxOptions> = {
  shape: CHECKS,
  safeParse: (value) => {
    const given = Object.entries(value as object).filter(([, one]) => one !== undefined)
    const keys = given.map(([key]) => key).filter((key) => !Object.hasOwn(CHECKS, key))
    const issues = given.flatMap(([key, one]) => {
      const message = CHECKS[key as keyof TmuxOptions]?.(one)
      return message ? [{ path: [key], message }] : []
    })
    const strange = keys.length > 0 ? [{ code: 'unrecognized_keys', message: '', path: [], keys }] : []
    if (issues.length + strange.length > 0) return { success: false, error: { issues: [...issues, ...strange] } }
    return { success: true, data: { ...DEFAULTS, ...Object.fromEntries(given) } }
  },
}
