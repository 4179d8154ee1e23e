// What reports and agents hear of a train on a forge elsewhere, from its files alone.
import type { LandingFailure } from '../../core/reactions/pull-news.ts'
import { systemClock } from '../../lib/clock.ts'
import type { ProjectGates } from '../checks/project-gates.ts'
import { conflictOf, openTrainFile } from '../train/train-file.ts'
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
export function hostedDeparture(
  projectDir: string,
  { pull, headSha, gates = null }: { pull: number; headSha: string; gates?: Pick<ProjectGates, 'onCars'> | null },
): LandingFailure | null {
  const { left } = openTrainFile({ projectDir, clock: systemClock }).read()
  const found = left.find((one) => one.pull === pull && one.headSha === headSha)
  const conflict = found && conflictOf(found)
  if (conflict) return conflict
  if (found?.why === 'refused') return { why: 'refused', said: found.said ?? '' }
  if (found?.why !== 'red') return null
  const { check = '', commit = '', tree = '', ahead = [] } = found
  return { why: 'red', check, commit, ahead, logTail: logOf(projectDir, tree, check) || gateLogOf(gates, tree, check) }
}

const MOST_ATTEMPTS = 10
const LOG_BYTES = 16 * 1024

function gateLogOf(gates: Pick<ProjectGates, 'onCars'> | null, tree: string, check: string): string {
  for (let attempt = MOST_ATTEMPTS; attempt > 0; attempt--) {
    const log = gates?.onCars(attempt)?.log(tree, check, LOG_BYTES) ?? ''
    if (log !== '') return log
  }
  return ''
}

/** Of the last run that failed. */
function logOf(projectDir: string, tree: string, check: string): string {
  const runs = openLedger(projectDir)
    .read()
    .runs.filter((run) => run.tree === tree)
  const failed = runs.findLast(({ result }) => result?.state === 'failed' && result.check === check)
  return failed?.result?.state === 'failed' ? failed.result.log : ''
}
