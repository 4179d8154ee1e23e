// Why a pull request left the train, with what its agent needs to repair it.
import type { Left } from '../../core/landing/train-state.ts'
import type { LandingFailure } from '../../core/reactions/pr-view.ts'
import type { LocalForge } from '../../forge/types.ts'
import { systemClock } from '../../lib/clock.ts'
import { treeStore } from './check-cars.ts'
import { openTrainFile } from './train-file.ts'

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
  const { check = '', commit = '', tree = '', ahead = [] } = left
  return { why: 'red', check, commit, ahead, logTail: readLog(forge, file.directory, tree, check) }
}

/** null: it left for another reason. */
export function conflictOf({ why, files = [], onto }: Left): LandingFailure | null {
  const pulls = onto?.cars.map(({ pull }) => pull) ?? []
  if (why === 'stranded') return { why, commit: onto?.commit ?? '', pulls }
  return why === 'conflict' ? { why, files, onto: onto && { commit: onto.commit, pulls } } : null
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
