// What a check of `ao doctor` finds. A check never throws: that it failed is what it found.
import { AoError, errorText } from '../../../contract/errors.ts'

export type CheckLevel = 'pass' | 'warn' | 'fail'

export interface Finding {
  level: CheckLevel
  /** What was looked at: `git`, `project app`. */
  name: string
  detail: string
  /** What to do about it. */
  fix?: string
}

export async function guarded(
  name: string,
  check: () => Promise<Finding[]>,
  level: CheckLevel = 'fail',
): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    const hint = error instanceof AoError ? error.hint : undefined
    return [{ level, name, detail: errorText(error), ...(hint ? { fix: hint } : {}) }]
  }
}
