// The number of a new issue or pull request: one sequence for both, as on GitHub, so that `#7` means one thing. Numbers are
// never reused. Stores from before have numbers that mean an issue and a pull request; both stay readable.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { withLock } from '../lib/lock.ts'
import { numbersIn, readIfThere } from '../lib/plain-file.ts'

/** A runaway agent must not fill the disk. */
const MOST_NUMBERS = 100_000

/** Used up when this resolves: a crash afterwards only leaves a gap. */
export async function reserveNumber(projectDir: string): Promise<number> {
  mkdirSync(projectDir, { recursive: true, mode: 0o700 })
  return withLock(join(projectDir, '.last-number.lock'), () => {
    const number = highestNumber(projectDir) + 1
    if (number > MOST_NUMBERS) {
      throw new AoError('USAGE', `${projectDir} has had ${MOST_NUMBERS} issues and pull requests already`)
    }
    writeFileAtomic(join(projectDir, '.last-number'), `${number}\n`)
    return number
  })
}

/** Files that somebody put there by hand count too. */
function highestNumber(projectDir: string): number {
  const written = ['.last-number', join('issues', '.last')].map((name) => readIfThere(join(projectDir, name)) ?? '')
  const kept = written.map(Number).filter((number) => Number.isSafeInteger(number) && number > 0)
  const used = [...numbersIn(join(projectDir, 'issues'), '.md'), ...numbersIn(join(projectDir, 'pulls'))]
  return Math.max(0, ...kept, ...used)
}
