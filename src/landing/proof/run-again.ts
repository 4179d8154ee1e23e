// Runs checks again on a landed commit, on this machine, in a checkout that is removed afterwards. Rules are asked about what the
// commit changes.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../core/landing/judge-proof.ts'
import { withLock } from '../../lib/lock.ts'
import { type CiCommand, createCheckStore } from '../checks/check-store.ts'
import { ciDirectory, withCheckout } from '../checks/ci-directory.ts'
import { type CommandHost, runCommands } from '../checks/run-commands.ts'
import { firstParent } from '../train/build-cars.ts'

export interface AgainRun {
  host: CommandHost
  commands: readonly CiCommand[]
  /** The directory of the train's files. */
  directory: string
  commit: string
  tree: string
}

export async function runAgain({ host, commands, directory, commit, tree }: AgainRun): Promise<Finding[]> {
  if (commands.length === 0) return []
  const projectDir = join(directory, 'verify')
  mkdirSync(projectDir, { recursive: true, mode: 0o700 })
  const ci = ciDirectory(projectDir)
  const store = createCheckStore({ projectDir })
  const marker = `verify-${randomUUID()}`
  const change = { from: await firstParent(host, commit), to: commit }
  await withLock(ci.lock, async () => {
    for (const command of commands) store.remove(tree, command)
    const { signal } = new AbortController()
    const here = { directory: ci.worktree, marker }
    await withCheckout(ci, host.repository(), { commit, marker }, () =>
      runCommands(host, { commands, change, store, key: tree, in: here, signal }),
    )
  })
  store.sweep(new Set([tree]))
  return commands.map((command): Finding => {
    const record = store.read(tree, command)
    return {
      what: `check ${command.name}, run again`,
      proven: record?.status === 'passed',
      why: record?.why ?? 'it did not end',
    }
  })
}
