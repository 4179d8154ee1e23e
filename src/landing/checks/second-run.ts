// Which failures on a head are due once more: of programs, once on a commit, and only while the project's history does not say
// that the check is reliable.
import { AoError } from '../../contract/errors.ts'
import { mayBeFlaky } from '../../core/landing/second-run.ts'
import { secondRunsOf } from '../../core/landing/train-state.ts'
import { systemClock } from '../../lib/clock.ts'
import { openTrainFile } from '../train/train-file.ts'
import type { CheckStore, CiCommand } from './check-store.ts'

export interface SecondRuns {
  store: CheckStore
  /** Where results are kept: under this commit or tree. */
  key: string
  /** Everything that runs there. */
  commands: readonly CiCommand[]
  /** Of the train. */
  projectDir: string
  /** Where the change starts: a check that fails there too is no question of luck. */
  from?: string | undefined
}

export function mayRepeat({ store, key, commands, projectDir, from }: SecondRuns): (command: CiCommand) => boolean {
  return (command) => {
    if (command.rule !== undefined || commands.some((one) => store.hasFailedBefore(key, one))) return false
    if (from !== undefined && store.read(from, command)?.status === 'failed') return false
    return mayBeFlaky([...onCars(projectDir, command), ...store.secondRuns(command)])
  }
}

function onCars(projectDir: string, { name }: CiCommand): Array<'passed' | 'failed'> {
  try {
    return secondRunsOf(openTrainFile({ projectDir, clock: systemClock }).read(), name)
  } catch (error) {
    // A damaged train is reported by itself; the check ends all the same.
    if (error instanceof AoError) return []
    throw error
  }
}
