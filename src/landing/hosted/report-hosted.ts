// What reports and agents hear of a train on a forge elsewhere, from its files alone.
import type { LandingFailure } from '../../core/reactions/pr-view.ts'
import { systemClock } from '../../lib/clock.ts'
import { conflictOf } from '../train/read-departure.ts'
import { openTrainFile } from '../train/train-file.ts'
import type { ReportSource } from '../train/train-report.ts'
import { findRun, openLedger } from './ledger.ts'

export function hostedReport(projectDir: string): ReportSource {
  const { pulls, ...ledger } = openLedger(projectDir).read()
  return {
    pullOf: (number) => pulls.find((one) => one.number === number) ?? null,
    resultOf(_directory, tree, attempt) {
      const run = findRun({ pulls, ...ledger }, tree, attempt)
      return run === undefined ? null : (run.result ?? { state: 'running' })
    },
    past: () => [],
  }
}

/** null: it did not leave with this head, or for a reason that is not the agent's. */
export function hostedDeparture(projectDir: string, pull: number, headSha: string): LandingFailure | null {
  const { left } = openTrainFile({ projectDir, clock: systemClock }).read()
  const found = left.find((one) => one.pull === pull && one.headSha === headSha)
  const conflict = found && conflictOf(found)
  if (conflict) return conflict
  if (found?.why === 'refused') return { why: 'refused', said: found.said ?? '' }
  if (found?.why !== 'red') return null
  const { check = '', commit = '', tree = '', ahead = [] } = found
  return { why: 'red', check, commit, ahead, logTail: logOf(projectDir, tree, check) }
}

/** Of the last run that failed. */
function logOf(projectDir: string, tree: string, check: string): string {
  const runs = openLedger(projectDir)
    .read()
    .runs.filter((run) => run.tree === tree)
  const failed = runs.findLast(({ result }) => result?.state === 'failed' && result.check === check)
  return failed?.result?.state === 'failed' ? failed.result.log : ''
}
