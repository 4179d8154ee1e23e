// Pull requests without a server: `pulls/{n}/events.jsonl` in the project's data directory, append-only. Numbers are never
// reused. fold-pull.ts folds the events into a pull request. One is meant by its number, `#n`, its URL, or its branch.
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { syncPath, writeAll } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import { numbersIn, openForAppend, readPlainText, readRange } from '../../lib/plain-file.ts'
import { dataHash } from '../../lib/process/own-home.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { reserveNumber } from '../reserve-number.ts'
import { foldPull } from './fold-pull.ts'
import type { LocalPull, PullEvent, PullEventBody } from './pull-events.ts'

export interface LocalPullStore {
  directory: string
  /** In numeric order. */
  list(): LocalPull[]
  /** null: there is no such pull request. */
  read(number: number): LocalPull | null
  open(
    by: string,
    opened: Omit<Extract<PullEventBody, { type: 'opened' }>, 'type' | 'url'>,
    url: (n: number) => string,
  ): Promise<LocalPull>
  /** Runs `work` while nothing else changes this pull request. `append` writes an event and returns the new state. */
  change<T>(number: number, work: (pull: LocalPull, append: Append) => T | Promise<T>): Promise<T>
}

export type Append = (by: string, event: PullEventBody) => LocalPull

const CHANGE_TIMEOUT_MS = 60_000

interface Remembered {
  size: number
  mtimeMs: number
  pull: LocalPull | null
}

export function createLocalPulls(options: { projectDir: string; clock: Clock }): LocalPullStore {
  const directory = join(options.projectDir, 'pulls')
  // An open pull request is read all the time and changes rarely.
  const remembered = new Map<number, Remembered>()
  const read = (number: number) => readPull(directory, number, remembered)
  const append = (number: number, by: string, event: PullEventBody): LocalPull => {
    appendEvent(fileOf(directory, number), { ...event, at: options.clock.now().toISOString(), by })
    return read(number)!
  }
  return {
    directory,
    list: () => numbersIn(directory).flatMap((number) => readIfPossible(read, number) ?? []),
    read,
    async open(by, opened, url) {
      const number = await reserveNumber(options.projectDir)
      mkdirSync(join(directory, String(number)), { recursive: true, mode: 0o700 })
      syncPath(directory)
      return append(number, by, { type: 'opened', ...opened, url: url(number) })
    },
    async change(number, work) {
      if (read(number) === null) throw pullNotFound(number)
      const lock = join(directory, String(number), '.lock')
      return withLock(lock, () => work(read(number)!, (by, event) => append(number, by, event)), {
        timeoutMs: CHANGE_TIMEOUT_MS,
      })
    },
  }
}

function pullNotFound(reference: number | string): AoError {
  return new AoError('PR_NOT_FOUND', `There is no pull request ${reference}`, { details: { reference } })
}

/** An unreadable one does not hide the others; requesting it by number reports the problem, and so does `ao doctor`. */
function readIfPossible(read: (number: number) => LocalPull | null, number: number): LocalPull | null {
  try {
    return read(number)
  } catch {
    return null
  }
}

function readPull(directory: string, number: number, remembered: Map<number, Remembered>): LocalPull | null {
  const file = fileOf(directory, number)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return null
  const cached = remembered.get(number)
  if (cached && cached.size === stat.size && cached.mtimeMs === stat.mtimeMs) return cached.pull
  const pull = foldPull(number, parseEvents(readPlainText(file)))
  remembered.set(number, { size: stat.size, mtimeMs: stat.mtimeMs, pull })
  return pull
}

function parseEvents(text: string): PullEvent[] {
  return text.split('\n').flatMap((line) => parseEvent(line) ?? [])
}

function parseEvent(line: string): PullEvent | null {
  if (!line.startsWith('{')) return null
  try {
    const event = JSON.parse(line) as PullEvent
    return typeof event.type === 'string' && typeof event.at === 'string' ? event : null
  } catch {
    // Half a line of a writer that died: it was never acknowledged.
    return null
  }
}

/** All or nothing: neither a writer that died nor a full disk leaves half an event in the middle of the file. */
function appendEvent(file: string, event: PullEvent): void {
  const fd = openForAppend(file)
  try {
    const before = readRange(fd, 0, fstatSync(fd).size)
    const whole = before.lastIndexOf(0x0a) + 1
    if (whole < before.length) ftruncateSync(fd, whole)
    try {
      writeAll(fd, Buffer.from(`${JSON.stringify(event)}\n`))
      fdatasyncSync(fd)
      if (whole === 0) syncPath(dirname(file))
    } catch (error) {
      ftruncateSync(fd, whole)
      throw error
    }
  } finally {
    closeSync(fd)
  }
}

function fileOf(directory: string, number: number): string {
  return join(directory, String(number), 'events.jsonl')
}

/** The forge of one project, as far as its pull requests have an address there. */
interface Addressed {
  project: { id: string }
  context: Pick<PluginContext, 'configDir' | 'dataDir'>
}

export function requirePull(forge: Addressed & { pulls: LocalPullStore }, reference: string): LocalPull {
  const number = pullNumber(forge, reference)
  const pull = number === null ? findByBranch(forge.pulls.list(), reference) : forge.pulls.read(number)
  if (pull === null) throw pullNotFound(reference)
  return pull
}

/** A pull request of this project only: another forge's URL matches nothing here. null: the text is something else. */
export function pullNumber(forge: Addressed, reference: string): number | null {
  const digits = /^#?([1-9][0-9]{0,8})$/.exec(reference.trim())?.[1]
  if (digits !== undefined) return Number(digits)
  const [, repository, projectId, number] = ADDRESS.exec(reference.trim()) ?? []
  const { configDir, dataDir } = forge.context
  // On a page that several repositories share, each has an address of its own.
  if (repository !== undefined && repository !== dataHash(configDir, dataDir)) return null
  return projectId === forge.project.id ? Number(number) : null
}

const ADDRESS = /^https?:\/\/[^/]+(?:\/r\/([0-9a-f]+))?\/projects\/([^/]+)\/pull\/([1-9][0-9]{0,8})\/?(?:[?#].*)?$/

/** The open one of this branch; else null: a reused branch has nothing to do with older ones. */
export function findOpenByBranch(pulls: readonly LocalPull[], branch: string): LocalPull | null {
  return pulls.findLast((pull) => pull.head === branch && pull.state === 'open') ?? null
}

/** For people, who may also mean a closed or merged one. */
export function findByBranch(pulls: readonly LocalPull[], branch: string): LocalPull | null {
  return findOpenByBranch(pulls, branch) ?? pulls.findLast((pull) => pull.head === branch) ?? null
}
