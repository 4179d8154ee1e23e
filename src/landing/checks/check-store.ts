// Results of CI commands, `checks/{commit}/`: one JSON file and one log per command. They belong to the commit, so every
// pull request that has it, and the base branch, share them.
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Check, CheckFinding } from '../../contract/pull.ts'
import type { GateRule } from '../../core/landing/judge-change.ts'
import type { GatePlace } from '../../core/landing/where-gates-run.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { namesIn, readIfThere, readTail } from '../../lib/plain-file.ts'
import { currentProcess, formatIdentity, mayBeAlive } from '../../lib/process/process-identity.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'

export interface CheckCommand {
  name: string
  run: string
  /** Of a rule: the commit that the change it judges starts from. A change from elsewhere has another result. */
  since?: string | undefined
  /** Where a program leaves its coverage. */
  coverage?: string | undefined
}

export interface CheckRecord extends CheckCommand {
  status: 'running' | 'passed' | 'failed'
  /** The process that runs it: once it is gone, the run was interrupted. */
  owner: string
  startedAt: string
  finishedAt?: string
  exitCode?: number | null
  /** How it ended, in words. */
  why?: string
  /** Beside the agent, in this place. Absent: on this machine. */
  place?: string | undefined
  finding?: CheckFinding | undefined
  /** Its second run on this commit: the first one failed. */
  again?: true | undefined
}

/** It passed on this machine, and its log was there before that was written down. */
export function hasOwnLog({ status, place }: Partial<CheckRecord>): boolean {
  return status === 'passed' && place === undefined
}

export interface CheckStore {
  directory: string
  /** null: not run yet, or interrupted. */
  read(commit: string, command: CheckCommand): CheckRecord | null
  write(commit: string, record: CheckRecord): void
  remove(commit: string, command: CheckCommand): void
  /** It cannot run now, and why; `read` still returns null. false: that was recorded before. */
  hold(commit: string, command: CheckCommand, why: string): boolean
  /** null: nothing keeps it from running. */
  heldBecause(commit: string, command: CheckCommand): string | null
  /** It failed and is due once more: this failure is kept with its log, and `read` returns null. */
  keepFailure(commit: string, record: CheckRecord): void
  /** Was it due once more? */
  hasFailedBefore(commit: string, command: CheckCommand): boolean
  /** How the second runs of this command ended, on all commits. */
  secondRuns(command: CheckCommand): Array<'passed' | 'failed'>
  logFile(commit: string, command: CheckCommand): string
  /** The last bytes of the log, behind those of a first run that failed; '' when there is none. */
  readLogEnd(commit: string, command: CheckCommand, bytes: number): string
  /** Removes the oldest commits beyond a limit. */
  sweep(keep: ReadonlySet<string>): void
}

export const MAX_COMMITS = 500
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/

export function createCheckStore(options: { projectDir: string }): CheckStore {
  const directory = join(options.projectDir, 'checks')
  const file = (commit: string, command: CheckCommand, ending: string) =>
    join(directory, requireCommit(commit), `${checkKey(command)}.${ending}`)
  return {
    directory,
    read: (commit, command) => readRecord(file(commit, command, 'json'), command),
    write(commit, record) {
      mkdirSync(join(directory, requireCommit(commit)), { recursive: true, mode: 0o700 })
      if (record.status === 'running') ownRuns.add(file(commit, record, 'json'))
      writeFileAtomic(file(commit, record, 'json'), `${JSON.stringify(record)}\n`)
      if (record.status !== 'running') ownRuns.delete(file(commit, record, 'json'))
      removeFile(file(commit, record, 'held'))
    },
    remove: (commit, command) => forget(file(commit, command, 'json')),
    hold(commit, command, why) {
      // Whoever watches these files would try again at once.
      if (readHeld(file(commit, command, 'held')) === why) return false
      mkdirSync(join(directory, requireCommit(commit)), { recursive: true, mode: 0o700 })
      writeFileAtomic(file(commit, command, 'held'), `${why}\n`)
      return true
    },
    heldBecause: (commit, command) =>
      readRecord(file(commit, command, 'json'), command) === null ? readHeld(file(commit, command, 'held')) : null,
    keepFailure(commit, record) {
      const log = file(commit, record, 'log')
      if (lstatSync(log, { throwIfNoEntry: false })) renameSync(log, file(commit, record, FIRST_LOG))
      writeFileAtomic(file(commit, record, FIRST), `${JSON.stringify(record)}\n`)
      forget(file(commit, record, 'json'))
    },
    hasFailedBefore: (commit, command) => readRecord(file(commit, command, FIRST), command) !== null,
    secondRuns: (command) =>
      listCommits(directory).flatMap((commit) => {
        if (!lstatSync(file(commit, command, FIRST), { throwIfNoEntry: false })) return []
        const { status } = readRecord(file(commit, command, 'json'), command) ?? {}
        return status === 'passed' || status === 'failed' ? [status] : []
      }),
    logFile: (commit, command) => file(commit, command, 'log'),
    readLogEnd(commit, command, bytes) {
      const log = readEnd(file(commit, command, 'log'), bytes)
      const record = readRecord(file(commit, command, 'json'), command)
      if (record?.again === undefined || record.status === 'failed') return log
      const first = readEnd(file(commit, command, FIRST_LOG), bytes >> 1)
      return `${first}\n--- the second run ---\n${log.slice(-(bytes >> 1))}`
    },
    sweep: (keep) => sweep(directory, keep),
  }
}

/**
 * Records of runs that this process is at. One of its own that is not among them has ended, and a full or broken disk took neither
 * the end nor its removal: it would seem to run as long as this process lives.
 */
const ownRuns = new Set<string>()

function forget(file: string): void {
  ownRuns.delete(file)
  removeFile(file)
}

const FIRST = 'first.json'
const FIRST_LOG = 'first.log'

/** Another command under the same name is another check: its old result says nothing. */
export function checkKey({ name, run, since, coverage }: CheckCommand): string {
  const slug = name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40)
  return `${slug}-${createHash('sha256')
    .update(JSON.stringify([name, run, since, coverage && `coverage ${coverage}`].filter((part) => part !== undefined)))
    .digest('hex')
    .slice(0, 8)}`
}

/** Of a check as it is listed. */
export function idOf(commit: string, command: CheckCommand): string {
  const parts = [commit, checkKey(command)]
  return (command.since === undefined ? parts : [...parts, command.since]).join('/')
}

/** As it is listed. */
export function describeCheck(
  store: CheckStore,
  key: string | null,
  command: CheckCommand,
): Pick<Check, 'name' | 'status' | 'ranMs' | 'note' | 'isFlaky' | 'finding'> {
  const { name } = command
  if (key === null) return { name, status: 'pending' }
  const record = store.read(key, command)
  const why = record === null ? store.heldBecause(key, command) : null
  const notes = [record?.place && `in ${record.place}`, record?.again && SECOND_RUN[record.status]].filter(Boolean)
  const finding = record?.finding
  const ranMs = Date.parse(record?.finishedAt ?? '') - Date.parse(record?.startedAt ?? '')
  const status = record?.status ?? 'pending'
  const note = notes.length > 0 ? notes.join('; ') : (why ?? undefined)
  const isFlaky = record?.again && status === 'passed' ? true : undefined
  return { name, status, ...(ranMs >= 0 && { ranMs }), note, isFlaky, finding }
}

const SECOND_RUN = {
  running: 'failed, running once more',
  passed: 'flaky: passed on the second run',
  failed: 'failed twice',
} as const

function readRecord(file: string, command: CheckCommand): CheckRecord | null {
  try {
    const text = textOf(file)
    if (text === null) return null
    const record = JSON.parse(text) as CheckRecord
    // Agents choose commits: one whose short key is the same must not inherit the result.
    if (record.since !== command.since) return null
    if (record.status !== 'running') return { ...record, ...command }
    // Once its runner is gone, its end will never be written: it has to be run again.
    const isOurs = record.owner === formatIdentity(currentProcess())
    const isRunning = isOurs ? ownRuns.has(file) : mayBeAlive(record.owner)
    return isRunning ? { ...record, ...command } : null
  } catch {
    // Not ours or damaged: running it again is the way to know.
    return null
  }
}

function readHeld(file: string): string | null {
  return textOf(file)?.trim() || null
}

function readEnd(file: string, bytes: number): string {
  return statSync(file, { throwIfNoEntry: false }) ? readTail(file, bytes).toString('utf8') : ''
}

function sweep(directory: string, keep: ReadonlySet<string>): void {
  const commits = listCommits(directory).filter((commit) => !keep.has(commit))
  if (commits.length <= MAX_COMMITS) return
  const byAge = commits
    .map((commit) => ({ commit, at: statSync(join(directory, commit), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
  for (const { commit } of byAge.slice(MAX_COMMITS)) removeTree(join(directory, commit))
}

function listCommits(directory: string): string[] {
  return namesIn(directory).filter((name) => COMMIT.test(name))
}

function requireCommit(commit: string): string {
  if (COMMIT.test(commit)) return commit
  throw new Error(`${JSON.stringify(commit)} is not a commit`)
}

function textOf(file: string): string | null {
  // It is usually missing, and an exception costs more than checking first.
  return lstatSync(file, { throwIfNoEntry: false }) ? readIfThere(file) : null
}

export interface CiCommand extends CheckCommand {
  timeoutMs: number
  /** A gate that ao answers itself, from what the pull request changes; `run` only describes it. */
  rule?: GateRule | undefined
  /** Of a gate's command. Absent: always on this machine. */
  where?: GatePlace | undefined
}

/** Programs judge a commit, rules what it changes since another one: their results belong to both. */
export function commandsSince<Command extends CiCommand>(commands: readonly Command[], from: string): Command[] {
  return commands.map((command) => (command.rule === undefined ? command : { ...command, since: from }))
}
