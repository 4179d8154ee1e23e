// Why a pull request left the train, with what its agent needs to repair it.
import type { LandingFailure } from '../../core/reactions/pull-news.ts'
import { conflictOf, openTrainFile } from '../../landing/train/train-file.ts'
import { systemClock } from '../../lib/clock.ts'
import type { LocalForge } from '../types.ts'
import { treeStore } from './check-cars.ts'

const LOG_BYTES = 16 * 1024
const MOST_ATTEMPTS = 10

/** null: it did not leave with this head, or for a reason that is not the agent's. */
export function readDeparture(
  forge: LocalForge,
  { projectDir, pull, headSha }: { projectDir: string; pull: number; headSha: string },
): LandingFailure | null {
  const file = openTrainFile({ projectDir, clock: systemClock })
  const left = file.read().left.find((one) => one.pull === pull && one.headSha === headSha)
  const conflict = left && conflictOf(left)
  if (conflict) return conflict
  if (left?.why !== 'red') return null
  const { check = '', commit = '', tree = '', ahead = [], byRules } = left
  const logTail = readLog(forge, file.directory, tree, check)
  return { why: 'red', check, commit, ahead, byRules, logTail }
}

/** Of the last run that failed. */
export function readLog(forge: LocalForge, directory: string, tree: string, check: string): string {
  const command = forge.options.ci.find(({ name }) => name === check)
  if (!command || tree === '') return ''
  for (let attempt = MOST_ATTEMPTS; attempt > 0; attempt--) {
    const store = treeStore(directory, attempt)
    if (store.read(tree, command)?.status === 'failed') return store.readLogEnd(tree, command, LOG_BYTES)
  }
  return ''
}
