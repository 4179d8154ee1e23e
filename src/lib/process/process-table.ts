// All processes of this machine at one moment, with what is needed to determine their owner. Our own process is left out.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { sleep } from '../clock.ts'
import { isInside } from '../inside-directory.ts'
import { identify, type ProcessIdentity } from './process-identity.ts'

export interface ProcessRow {
  identity: ProcessIdentity
  parent: number
  /** The session (Linux) or process group (elsewhere) it is in, named by the pid of its leader. */
  session: number
  hasTerminal: boolean
  environment: ProcessEnvironment
  /** Is its working directory this one or below it? */
  worksIn(directory: string): boolean
  /** Its arguments; '' where they cannot be read. */
  commandLine(): string
}

export interface ProcessEnvironment {
  isReadable(): boolean
  /** null: not set, or the environment cannot be read. */
  value(name: string): string | null
}

export function readProcessTable(platform: NodeJS.Platform = process.platform): ProcessRow[] {
  return platform === 'linux' ? readProc() : readPs()
}

let next: Promise<ProcessRow[]> | null = null
let mayBeginAt = 0

/**
 * The same, once for everybody who asks before it is read: many stops at once cost what one costs. Between two readings there is
 * as much time for other work as a reading takes.
 */
export function readSharedTable(): Promise<ProcessRow[]> {
  next ??= readSoon()
  return next
}

async function readSoon(): Promise<ProcessRow[]> {
  await sleep(Math.max(0, mayBeginAt - performance.now()))
  // Who asks from here on gets the next one: this one may not show what they have done.
  next = null
  const began = performance.now()
  const table = readProcessTable()
  mayBeginAt = performance.now() + (performance.now() - began)
  return table
}

/** One row of it; null: there is no such process, or this is not Linux. */
export function readProcessRow(pid: number): ProcessRow | null {
  const stat = readIfAlive(pid)
  return stat === null ? null : procRow(pid, stat)
}

/** Does what is typed into its terminal reach it? false where the system does not say. */
export function isInForeground(pid: number): boolean {
  const stat = process.platform === 'linux' ? readIfAlive(pid) : null
  return stat !== null && stat[4] !== '0' && stat[2] === stat[5]
}

function readProc(): ProcessRow[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid) return []
    const stat = readIfAlive(pid)
    return stat === null ? [] : [procRow(pid, stat)]
  })
}

/** Nobody's child, and without an environment: a third of all rows on a quiet machine. */
const KERNEL_THREAD = 0x200000

function readIfAlive(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name is in parentheses and may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const hasEnded = fields[0] === 'Z' || fields[0] === 'X'
    return hasEnded || (Number(fields[6]) & KERNEL_THREAD) !== 0 ? null : fields
  } catch (error) {
    // It has ended meanwhile.
    return orExhausted(error)
  }
}

/** null when one process cannot be read. Without file descriptors nothing can be read, which is not the same as nothing. */
function orExhausted(error: unknown): null {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') throw error
  return null
}

function procRow(pid: number, stat: string[]): ProcessRow {
  return {
    identity: { pid, start: stat[19]!, boot: bootOf() },
    parent: Number(stat[1]),
    session: Number(stat[3]),
    hasTerminal: stat[4] !== '0',
    environment: procEnvironment(pid),
    worksIn: (directory) => worksIn(pid, directory),
    commandLine: () => readProcFile(pid, 'cmdline')?.replaceAll('\0', ' ') ?? '',
  }
}

/** Read on demand, once: most rows are decided without it. */
function procEnvironment(pid: number): ProcessEnvironment {
  let content: string | null | undefined
  const read = (): string | null => {
    if (content === undefined) {
      const text = readProcFile(pid, 'environ')
      content = text === null ? null : `\0${text}`
    }
    return content
  }
  return {
    isReadable: () => read() !== null,
    value(name) {
      const text = read()
      const at = text?.indexOf(`\0${name}=`) ?? -1
      if (text === null || at === -1) return null
      return text.slice(at + name.length + 2).split('\0', 1)[0]!
    },
  }
}

function readProcFile(pid: number, name: 'environ' | 'cmdline'): string | null {
  try {
    // Not latin1: Node reads that through 64 KB of new memory, and a stop reads thousands of these.
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch (error) {
    // Gone meanwhile, or another user's: either way it is not ours to judge.
    return orExhausted(error)
  }
}

function workingDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    // The same as above.
    return null
  }
}

function worksIn(pid: number, directory: string): boolean {
  const path = workingDirectory(pid)
  return path !== null && isInside(directory, path)
}

let cachedBoot: string | null = null

function bootOf(): string {
  cachedBoot ??= identify(process.pid)?.boot ?? ''
  return cachedBoot
}

const UNREADABLE: ProcessEnvironment = { isReadable: () => false, value: () => null }

/** Without /proc other processes' environments are unreadable: families and groups are all there is. */
function readPs(): ProcessRow[] {
  const ps = spawnSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  if (ps.error) throw ps.error
  return ps.stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state, ...start] = line.trim().split(/\s+/)
    if (state === undefined || state.startsWith('Z') || Number(pid) === process.pid) return []
    return [
      {
        // The same spelling as in process-identity.
        identity: { pid: Number(pid), start: start.join(' ').replace(/[\s:]+/g, '_'), boot: bootOf() },
        parent: Number(parent),
        session: Number(group),
        hasTerminal: true,
        environment: UNREADABLE,
        worksIn: () => false,
        commandLine: () => '',
      },
    ]
  })
}
