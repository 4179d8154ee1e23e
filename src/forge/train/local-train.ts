// The train of the local forge, for everyone who knows the forge by its slot alone.
import { join } from 'node:path'
import type { OwnTrain } from '../../landing/own-train.ts'
import type { ReportSource, TrainReport } from '../../landing/train/train-report.ts'
import { trainRule } from '../../landing/train/train-rule.ts'
import { requireTrust } from '../create-forge.ts'
import type { LocalForge } from '../types.ts'
import { commandsOfTrees, readTreeResult, treeStore } from './check-cars.ts'
import { readDeparture, readLog } from './read-departure.ts'

export function createLocalTrain(forge: LocalForge): OwnTrain {
  return {
    async ride(options) {
      const { runTrain } = await import('./run-train.ts')
      return runTrain({ ...options, forge, ...trainRule(forge.project, forge.options) })
    },
    base: ({ projectDir, signal }) => ({
      watch: async () => (await import('./watch-base.ts')).watchBase({ forge, projectDir, signal }),
      pullOf: (number) => forge.pulls.read(number),
      async logOf(commit, check) {
        const { treeOf } = await import('../../landing/train/build-cars.ts')
        return readLog(forge, join(projectDir, 'landing'), await treeOf(forge, commit), check)
      },
      async revert(request) {
        const { openRevert } = await import('./open-revert.ts')
        const { number, headSha, state } = await openRevert(forge, request)
        return { number, headSha, isOpen: state === 'open' }
      },
    }),
    handMoves: async (projectDir, now) => (await import('./note-hand-moves.ts')).noteHandMoves(forge, projectDir, now),
    report: localReport(forge),
    onTrees(projectDir) {
      const directory = join(projectDir, 'landing')
      const programs = commandsOfTrees(forge)
      if (programs.length === 0) return null
      return {
        programs,
        host: forge,
        store: (attempt) => treeStore(directory, attempt),
        resultOf: (tree, attempt) => readTreeResult(forge, directory, tree, attempt),
        requireTrust: () => requireTrust(forge),
      }
    },
    departure: (of) => readDeparture(forge, of),
    verify: async (request) => (await import('../proof/verify-commit.ts')).verifyCommit(forge, request),
  }
}

export function localReport(forge: LocalForge): ReportSource {
  return {
    pullOf: (number) => forge.pulls.read(number),
    resultOf: (directory, tree, attempt) => readTreeResult(forge, directory, tree, attempt),
    past: () => mergedPast(forge),
  }
}

const MOST_PAST = 20

function mergedPast(forge: LocalForge): TrainReport['past'] {
  const past = forge.pulls.list().filter(({ pastTrain }) => pastTrain)
  return past.slice(-MOST_PAST).map(({ number, title, closedBy, mergeCommit, closedAt }) => ({
    pull: number,
    title,
    by: closedBy ?? '',
    commit: mergeCommit ?? '',
    at: closedAt ?? '',
  }))
}
