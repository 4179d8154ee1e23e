// Gates of a project whose forge is elsewhere: ao runs them on the exact head of a pull request, on this machine or in the
// session's place. Commands belong to the tree, so that a rebase that changes nothing runs nothing; rules belong to the commit
// and to the one that its change starts from.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Check } from '../../contract/pull.ts'
import type { TreeResult } from '../../core/landing/decide-train.ts'
import type { ProvenCheck } from '../../core/landing/judge-proof.ts'
import { gitOn, openRepository, type Repository } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { withFreeLock } from '../../lib/lock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { SessionPlace } from '../../slots/far-checkout.ts'
import {
  type CheckStore,
  type CiCommand,
  checkKey,
  commandsSince,
  createCheckStore,
  describeCheck,
  idOf,
} from './check-store.ts'
import { ciDirectory, withCheckout } from './ci-directory.ts'
import { gateCommands } from './gate-commands.ts'
import { type CommandHost, runCommands } from './run-commands.ts'
import { runInPlace } from './run-in-place.ts'
import { holdUnreviewed } from './run-rule.ts'
import { mayRepeat } from './second-run.ts'

export interface GatesOptions {
  project: ProjectConfig
  projectDir: string
  env: NodeJS.ProcessEnv
  /** Throws unless the user has agreed to these very gates. */
  requireTrust(): void
}

export interface ProjectGates {
  /** The same gates on cars of a train, with results of their own for each run; null: none of them is a command. */
  onCars(attempt: number): CarGates | null
  /** null: none of them is a command. */
  onTrees(): TreeGates | null
  /** As far as they are known. `from`: where its change is known to start now; rules that judged another change say nothing. */
  read(pull: JudgedPull, from?: string): Promise<Check[]>
  /** Runs what is unknown yet. `busy`: another process does. `held`: something cannot run now. */
  run(change: GateChange): Promise<'done' | 'busy' | 'held'>
  /** The end of what a gate printed; null: it is not one of these. */
  log(check: Pick<Check, 'id'>, bytes: number): string | null
}

/** What cars are checked with, and where results are kept by tree: whoever tests a tree first spares the others. */
export interface TreeGates {
  programs: CiCommand[]
  host: CommandHost
  /** Of the n-th run. */
  store(attempt: number): CheckStore
  resultOf(tree: string, attempt: number): TreeResult | null
  requireTrust(): void
}

/** Commands only: rules are about what one pull request changes, and a car holds several. */
export interface CarGates {
  resultOf(tree: string): TreeResult | null
  run(car: { commit: string; tree: string; signal: AbortSignal }): Promise<'done' | 'busy'>
  /** For a proof: how each ended on this tree, with the hash of its log. */
  proven(tree: string): ProvenCheck[]
  /** The end of what it printed on this tree. */
  log(tree: string, check: string, bytes: number): string
}

export interface JudgedPull {
  head: string
  /** The branch that it is for; undefined: the default branch. */
  base?: string | undefined
}

export interface GateChange extends JudgedPull {
  /** The commit that its change starts from. */
  from: string
  signal: AbortSignal
  /** Whose it is, and where its agent runs. Absent: at home. */
  of?: { sessionId: string; session: SessionPlace } | undefined
  /** One cannot run now. Called once for each reason. */
  onHeld?: ((check: string, why: string) => void) | undefined
}

/** Ids of checks: `gate:{tree or commit}/{check}`, of rules with `/{start of the change}`. */
const ID = /^gate:([0-9a-f]{40,64})\/([^/]+)(?:\/([0-9a-f]{40,64}))?$/

const AT_HOME = { sessionId: '', session: { kind: 'home' } } as const

/** null: the project has none. */
export function openGates({ project, projectDir, env, requireTrust }: GatesOptions): ProjectGates | null {
  const commands = gateCommands(project)
  if (commands.length === 0) return null
  const directory = join(projectDir, 'gates')
  const store = createCheckStore({ projectDir: directory })
  const repository = () => openRepository(project.path, env)
  const programs = commands.filter(({ rule }) => rule === undefined)
  const ofCars = (attempt: number): CarGatesParts => ({
    host: { project, context: { env }, repository },
    programs,
    directory: join(projectDir, 'landing', `gates-${attempt}`),
    passed: attempt === 1 ? store : null,
    requireTrust,
  })
  return {
    onCars: (attempt) => (programs.length === 0 ? null : carGates(ofCars(attempt))),
    onTrees() {
      if (programs.length === 0) return null
      return {
        programs,
        host: ofCars(1).host,
        store: (attempt) => createCheckStore({ projectDir: ofCars(attempt).directory }),
        resultOf: (tree, attempt) => carGates(ofCars(attempt)).resultOf(tree),
        requireTrust,
      }
    },
    read(pull, from) {
      const { head, base = project.defaultBranch } = pull
      if (from !== undefined) noteStart(store, { head, base, from })
      return readChecks(store, commands, { repository: repository(), head, from: startOf(store, { head, base }) })
    },
    log(check, bytes) {
      const [, key, id, since] = ID.exec(check.id) ?? []
      const listed = since === undefined ? commands : commandsSince(commands, since)
      const command = listed.find((one) => checkKey(one) === id)
      return key !== undefined && command ? store.readLogEnd(key, command, bytes) : null
    },
    async run({ head, base = project.defaultBranch, from, signal, of = AT_HOME, onHeld }) {
      requireTrust()
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      noteStart(store, { head, base, from })
      const ci = ciDirectory(directory)
      const marker = `gates-${randomUUID()}`
      const host = { project, context: { env }, repository, projectDir }
      // It may have been fetched just now.
      absent.delete(head)
      const tree = await verifiedTree(repository(), head)
      const run = { in: { directory: ci.worktree, marker }, signal, store, change: { from, to: head } }
      const repeat = mayRepeat({ store, key: tree, commands: programs, projectDir })
      const missing = (key: string, list: CiCommand[]) => list.some((one) => store.read(key, one) === null)
      const outcome = await onlyOne(ci.lock, async () => {
        const all = commandsSince(commands, from).filter(({ rule }) => rule !== undefined)
        const rules = holdUnreviewed(all, { store, key: head, from, head, projectDir })
        if (missing(head, rules)) await runCommands(host, { ...run, commands: rules, key: head })
        const left = await runInPlace(host, {
          ...{ ...of, commands: programs, commit: head, store, key: tree, signal },
          onHeld: ({ name }, why) => onHeld?.(name, why),
        })
        for (let round = 1; round <= 2 && missing(tree, left) && !signal.aborted; round++) {
          for (const command of left) store.remove(tree, command)
          await withCheckout(ci, repository(), { commit: head, marker }, () =>
            runCommands(host, { ...run, commands: left, key: tree, mayRepeat: repeat }),
          )
        }
        store.sweep(new Set([head, tree]))
      })
      const isHeld = programs.some((one) => store.heldBecause(tree, one) !== null)
      return outcome === 'done' && isHeld ? 'held' : outcome
    },
  }
}

interface CarGatesParts {
  host: CommandHost
  programs: CiCommand[]
  directory: string
  /** Results of heads: one whose tree is the same need not run again. */
  passed: CheckStore | null
  requireTrust(): void
}

function carGates({ host, programs, directory, passed: earlier, requireTrust }: CarGatesParts): CarGates {
  const store = createCheckStore({ projectDir: directory })
  return {
    resultOf(tree) {
      const hasPassed = earlier !== null && programs.every((one) => passedHere(earlier, tree, one))
      const records = programs.map((one) => store.read(tree, one))
      const failed = records.find((record) => record?.status === 'failed')
      if (failed) return { state: 'failed', check: failed.name }
      if (hasPassed || records.every((record) => record?.status === 'passed')) return { state: 'passed' }
      return records.some((record) => record?.status === 'running') ? { state: 'running' } : null
    },
    async run({ commit, tree, signal }) {
      requireTrust()
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const ci = ciDirectory(directory)
      const marker = `gates-${randomUUID()}`
      return onlyOne(ci.lock, async () => {
        // Half of an interrupted run says nothing about the whole.
        for (const one of programs) store.remove(tree, one)
        await withCheckout(ci, host.repository(), { commit, marker }, () =>
          runCommands(host, {
            ...{ commands: programs, change: null, store, key: tree, signal },
            in: { directory: ci.worktree, marker },
          }),
        )
        store.sweep(new Set([tree]))
      })
    },
    proven: (tree) =>
      programs.map((one): ProvenCheck => {
        const from = store.read(tree, one) === null && earlier && passedHere(earlier, tree, one) ? earlier : store
        const log = readIfThere(from.logFile(tree, one))
        const status = from.read(tree, one)?.status ?? 'unknown'
        return {
          name: one.name,
          run: one.run,
          status,
          log: log === null ? null : createHash('sha256').update(log).digest('hex'),
        }
      }),
    log(tree, check, bytes) {
      const command = programs.find(({ name }) => name === check)
      return command ? store.readLogEnd(tree, command, bytes) : ''
    },
  }
}

/** What passed beside an agent, which could have had a hand in it, is run again: what lands was tested here. */
function passedHere(store: CheckStore, tree: string, command: CiCommand): boolean {
  const record = store.read(tree, command)
  return record?.status === 'passed' && record.place === undefined
}

async function onlyOne(lock: string, work: () => Promise<void>): Promise<'done' | 'busy'> {
  return (await withFreeLock(lock, work)) === null ? 'busy' : 'done'
}

async function readChecks(
  store: CheckStore,
  commands: readonly CiCommand[],
  { repository, head, from }: { repository: Repository; head: string; from: string | null },
): Promise<Check[]> {
  const tree = await treeOf(repository, head)
  return (from === null ? commands : commandsSince(commands, from)).map((command) => {
    const key = command.rule ? from && head : tree
    return { id: `gate:${idOf(key ?? head, command)}`, ...describeCheck(store, key, command) }
  })
}

interface OnBase {
  head: string
  base: string
}

/** Where the change of a head starts, for the branch that it was last judged for. */
function startFile(store: CheckStore, { head, base }: OnBase): string {
  return store.logFile(head, { name: 'start', run: base })
}

function noteStart(store: CheckStore, { head, base, from }: OnBase & { from: string }): void {
  if (startOf(store, { head, base }) === from) return
  const file = startFile(store, { head, base })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, `${from} ${base}\n`)
}

/** null: not known yet. Names of branches are the agents' own, so that the file alone proves nothing. */
function startOf(store: CheckStore, { head, base }: OnBase): string | null {
  const text = COMMIT.test(head) ? readIfThere(startFile(store, { head, base })) : null
  const from = text?.slice(0, text.indexOf(' ')) ?? ''
  return COMMIT.test(from) && text === `${from} ${base}\n` ? from : null
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

const trees = new Map<string, string>()
/** Commits that are not here, and until when nobody looks again. */
const absent = new Map<string, number>()
const MOST_TREES = 1_000
const ABSENT_MS = 60_000

/** null: the commit is not here, or not what it says. Commits never change their tree. */
async function treeOf(repository: Repository, commit: string): Promise<string | null> {
  const cached = trees.get(commit)
  if (cached !== undefined) return cached
  if ((absent.get(commit) ?? 0) > performance.now()) return null
  try {
    const tree = await verifiedTree(repository, commit)
    if (trees.size >= MOST_TREES) trees.clear()
    trees.set(commit, tree)
    return tree
  } catch (error) {
    if (!(error instanceof AoError)) throw error
    if (absent.size >= MOST_TREES) absent.clear()
    absent.set(commit, performance.now() + ABSENT_MS)
    return null
  }
}

async function verifiedTree(repository: Repository, commit: string): Promise<string> {
  const vault = await verified(repository, [commit])
  return (await gitOn(vault, ['rev-parse', '--verify', `${commit}^{tree}`], { read: true })).trim()
}
