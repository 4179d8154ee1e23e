// Gates of a project whose forge is elsewhere: ao runs them on this machine, on the exact head of a pull request. Commands
// belong to the tree, so that a rebase that changes nothing runs nothing; rules belong to the commit.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { ciPlace, withCheckout } from '../../forge/ci/ci-directory.ts'
import { runCommands } from '../../forge/ci/run-commands.ts'
import type { CiCommand } from '../../forge/forge-options.ts'
import { gateCommands } from '../../forge/gates/gate-commands.ts'
import { type CheckStore, checkKey, createCheckStore } from '../../forge/pulls/pull-checks.ts'
import { openRepository, type Repository, tryGitOn } from '../../git/repository.ts'
import { withLock } from '../../lib/lock.ts'
import type { Check } from '../../slots/scm.ts'

export interface GatesOptions {
  project: ProjectConfig
  projectDir: string
  env: NodeJS.ProcessEnv
  /** Throws unless the user has agreed to these very gates. */
  requireTrust(): void
}

export interface ProjectGates {
  /** As far as they are known; null: the commit is not on this machine, so nothing can be said. */
  read(head: string): Promise<Check[]>
  /** Runs what is not known yet. `busy`: another process does. */
  run(change: GateChange): Promise<'done' | 'busy'>
  /** The end of what a gate printed; null: it is not one of these. */
  log(check: Pick<Check, 'id'>, bytes: number): string | null
}

export interface GateChange {
  head: string
  /** The commit that the work started from. */
  from: string
  signal: AbortSignal
}

/** Ids of checks: `gate:{tree or commit}/{check}`. */
const ID = /^gate:([0-9a-f]{40,64})\/(.+)$/

/** null: the project has none. */
export function openGates({ project, projectDir, env, requireTrust }: GatesOptions): ProjectGates | null {
  const commands = gateCommands(project)
  if (commands.length === 0) return null
  const directory = join(projectDir, 'gates')
  const store = createCheckStore({ projectDir: directory })
  const repository = () => openRepository(project.path, env)
  return {
    read: (head) => readChecks(store, commands, { repository: repository(), head }),
    log(check, bytes) {
      const [, key, id] = ID.exec(check.id) ?? []
      const command = commands.find((one) => checkKey(one) === id)
      return key !== undefined && command ? store.readLogEnd(key, command, bytes) : null
    },
    async run({ head, from, signal }) {
      requireTrust()
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const place = ciPlace(directory)
      const marker = `gates-${randomUUID()}`
      const host = { project, context: { env }, repository }
      // It may have been fetched just now.
      absent.delete(head)
      const tree = await treeOf(repository(), head)
      if (tree === null) throw new AoError('GIT_FAILED', `commit ${head.slice(0, 10)} is not on this machine`)
      const run = { place, marker, signal, store, change: { from, to: head } }
      return onlyOne(place.lock, async () => {
        const missing = (key: string, list: CiCommand[]) => list.some((one) => store.read(key, one) === null)
        const rules = commands.filter(({ rule }) => rule !== undefined)
        const programs = commands.filter(({ rule }) => rule === undefined)
        if (missing(head, rules)) await runCommands(host, { ...run, commands: rules, key: head })
        if (missing(tree, programs)) {
          for (const command of programs) store.remove(tree, command)
          await withCheckout(place, repository(), { commit: head, marker }, () =>
            runCommands(host, { ...run, commands: programs, key: tree }),
          )
        }
        store.sweep(new Set([head, tree]))
      })
    },
  }
}

async function onlyOne(lock: string, work: () => Promise<void>): Promise<'done' | 'busy'> {
  let isOurs = false
  try {
    await withLock(
      lock,
      () => {
        isOurs = true
        return work()
      },
      { timeoutMs: 50 },
    )
    return 'done'
  } catch (error) {
    if (!isOurs && error instanceof AoError && error.code === 'LOCK_TIMEOUT') return 'busy'
    throw error
  }
}

async function readChecks(
  store: CheckStore,
  commands: readonly CiCommand[],
  { repository, head }: { repository: Repository; head: string },
): Promise<Check[]> {
  const tree = await treeOf(repository, head)
  return commands.map((command) => {
    const key = command.rule ? head : tree
    const record = key === null ? null : store.read(key, command)
    return {
      id: `gate:${key ?? head}/${checkKey(command)}`,
      name: command.name,
      status: record?.status ?? 'pending',
    }
  })
}

const trees = new Map<string, string>()
/** Commits that are not here, and until when nobody looks again. */
const absent = new Map<string, number>()
const MOST_TREES = 1_000
const ABSENT_MS = 60_000

/** null: the commit is not here. Commits never change their tree. */
async function treeOf(repository: Repository, commit: string): Promise<string | null> {
  const known = trees.get(commit)
  if (known !== undefined) return known
  if ((absent.get(commit) ?? 0) > performance.now()) return null
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`]
  const result = await tryGitOn(repository, args, { read: true })
  if (!result.ok) {
    if (absent.size >= MOST_TREES) absent.clear()
    absent.set(commit, performance.now() + ABSENT_MS)
    return null
  }
  if (trees.size >= MOST_TREES) trees.clear()
  trees.set(commit, result.stdout.trim())
  return result.stdout.trim()
}
