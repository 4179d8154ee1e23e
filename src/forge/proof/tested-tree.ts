// The recorded run of the checks in which a tree passed: on a car, or on the head of its pull request.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { type CheckRecord, type CheckStore, commandsSince } from '../../landing/checks/check-store.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { commandsOfTrees, treeStore } from '../train/check-cars.ts'
import type { LocalForge } from '../types.ts'

export interface TestedCheck {
  record: CheckRecord | null
  /** sha256 of its log; null: it is gone. */
  log: string | null
}

const MOST_ATTEMPTS = 10

export interface TestedTree {
  directory: string
  tree: string
  /** The pull request's head, when its tree is the same. */
  head: string | null
  /** The head that was reviewed: rules were answered for it. */
  reviewed: string | null
  /** Where the change that was reviewed starts; null: results of rules did not depend on it then. */
  from: string | null
}

/** By name. The last run in which all checks passed; without one, all are null. */
export function readTestedTree(
  forge: LocalForge,
  { directory, tree, head, reviewed, from }: TestedTree,
): Map<string, TestedCheck> {
  const runs = Array.from({ length: MOST_ATTEMPTS }, (_, index) => MOST_ATTEMPTS - index)
  const sources: Array<[CheckStore, string]> = runs.map((attempt) => [treeStore(directory, attempt), tree])
  if (head !== null) sources.push([forge.checks, head])
  const found = sources.find(([store, key]) =>
    commandsOfTrees(forge).every((command) => store.read(key, command)?.status === 'passed'),
  )
  return new Map(
    (from === null ? forge.options.ci : commandsSince(forge.options.ci, from)).map((command) => {
      const source = command.rule === undefined ? found : reviewed !== null && ([forge.checks, reviewed] as const)
      if (!source) return [command.name, { record: null, log: null }]
      const [store, key] = source
      return [command.name, { record: store.read(key, command), log: hashOf(store.logFile(key, command)) }]
    }),
  )
}

function hashOf(file: string): string | null {
  return statSync(file, { throwIfNoEntry: false })
    ? createHash('sha256').update(readPlainText(file)).digest('hex')
    : null
}
