// The value of an option that is a whole number.
import { AoError } from '../../contract/errors.ts'

/** undefined: the option was not given. */
export function wholeNumber(
  option: string,
  text: string | undefined,
  { least = 0, most = Number.MAX_SAFE_INTEGER }: { least?: number; most?: number } = {},
): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new AoError('USAGE', `${option} takes a whole number${describeRange(least, most)}, not ${text || 'nothing'}`)
}

function describeRange(least: number, most: number): string {
  if (most < Number.MAX_SAFE_INTEGER) return ` from ${least} to ${most}`
  return least === 0 ? '' : ` from ${least}`
}
