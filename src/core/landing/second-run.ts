// Does a failed check of a head run once more? On cars every check does, because all that is ahead was green; a head fails mostly
// because its work is wrong, and its agent should hear of that soon. Pure.

/** With fewer second runs in vain the history does not say that the check is reliable. */
const MOST_IN_VAIN = 3

/** `earlier`: how second runs of this check ended, on heads and on cars. */
export function mayBeFlaky(earlier: ReadonlyArray<'passed' | 'failed'>): boolean {
  return earlier.length < MOST_IN_VAIN || earlier.includes('passed')
}
