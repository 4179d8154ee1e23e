// The train of the local forge, for everyone who knows the forge by its slot alone.
import { join } from 'node:path'
import type { LocalForge } from '../../forge/types.ts'
import type { OwnTrain } from '../own-train.ts'
import { treeOf } from './build-cars.ts'
import { readDeparture, readLog } from './read-departure.ts'
import { localReport } from './train-report.ts'
import { trainRule } from './train-rule.ts'

export function createLocalTrain(forge: LocalForge): OwnTrain {
  return {
    async ride(options) {
      const { runTrain } = await import('./run-train.ts')
      return runTrain({ ...options, forge, ...trainRule(forge.project, forge.options) })
    },
    base: ({ projectDir, signal }) => ({
      watch: async () => (await import('../watch/watch-base.ts')).watchBase({ forge, projectDir, signal }),
      pullOf: (number) => forge.pulls.read(number),
      logOf: async (commit, check) => readLog(forge, join(projectDir, 'landing'), await treeOf(forge, commit), check),
      async revert(request) {
        const { openRevert } = await import('../watch/open-revert.ts')
        const { number, headSha, state } = await openRevert(forge, request)
        return { number, headSha, isOpen: state === 'open' }
      },
    }),
    handMoves: async (projectDir, now) =>
      (await import('../watch/hand-moves.ts')).noteHandMoves(forge, projectDir, now),
    report: localReport(forge),
    departure: (of) => readDeparture(forge, of),
    verify: async (request) => (await import('../proof/verify-commits.ts')).verifyCommit(forge, request),
  }
}
