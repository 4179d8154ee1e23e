// A process is (boot, pid, start time), never a bare pid: pids are reused, and killing a stranger is unforgivable.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { uptime } from 'node:os'

export interface ProcessIdentity {
  pid: number
  /** Clock ticks since boot (Linux) or the start date printed by ps (elsewhere). */
  start: string
  /** The scope of the pid: the boot and, after a dash, the pid namespace; '' where the system does not say. */
  boot: string
}

export type ProcessState = 'alive' | 'dead' | 'unknown'

let ownIdentity: ProcessIdentity | null = null

export function currentProcess(): ProcessIdentity {
  ownIdentity ??= identify(process.pid)
  if (!ownIdentity) throw new Error('The start time of this process cannot be read')
  return ownIdentity
}

/** null: there is no such process now. */
export function identify(pid: number): ProcessIdentity | null {
  const start = startTime(pid)
  return start === null ? null : { pid, start, boot: bootId() }
}

export function processState(identity: ProcessIdentity): ProcessState {
  try {
    if (identity.boot !== bootId()) return stateElsewhere(identity.boot)
    const start = startTime(identity.pid)
    return start === identity.start ? 'alive' : 'dead'
  } catch {
    return 'unknown'
  }
}

/** Stopped by a signal or a debugger: it is alive, but does nothing. false where the system does not say. */
export function isSuspended(pid: number): boolean {
  if (process.platform !== 'linux') return false
  const state = linuxStat(pid)?.[0]
  return state === 'T' || state === 't'
}

/** Every thread of it has stopped or ended, so that it starts nothing. true where the system does not say. */
export function hasHalted(pid: number): boolean {
  if (process.platform !== 'linux') return true
  return threadsOf(pid).every((thread) => /^[TtZX]?$/.test(linuxStat(thread)?.[0] ?? ''))
}

/** The processor time it has used, in clock ticks; null: it has ended, or the system does not say. */
export function cpuTicks(pid: number): number | null {
  const fields = process.platform === 'linux' ? linuxStat(pid) : null
  return fields && Number(fields[11]) + Number(fields[12])
}

/** Of the ticks in /proc, on every Linux. */
const TICK_MS = 10

/**
 * When it started, in milliseconds since 1970; null: unknown. On Linux this is by today's clock, and moves when that is set: proof of
 * nothing by itself.
 */
export function startedAt({ start }: ProcessIdentity): number | null {
  const now = Date.now()
  const [, month, day, hour, minute, second, year] =
    /^[A-Za-z]+_([A-Za-z]+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)$/.exec(start) ?? []
  const at = /^\d+$/.test(start)
    ? now - uptime() * 1000 + Number(start) * TICK_MS
    : Date.parse(`${month} ${day} ${year} ${hour}:${minute}:${second} UTC`)
  // A container may count from its own start.
  return Number.isNaN(at) || at > now + 1_000 ? null : at
}

/** One word without spaces or slashes: the target of a lock's symbolic link, a value in a record. */
export function formatIdentity(identity: ProcessIdentity): string {
  return `${identity.pid}:${identity.start}:${identity.boot}`
}

export function parseIdentity(text: string): ProcessIdentity | null {
  const match = /^([1-9][0-9]*):([^:/\s]+):([^:/\s]*)$/.exec(text)
  return match ? { pid: Number(match[1]), start: match[2]!, boot: match[3]! } : null
}

/** Unknown is not dead: only a process that is proven gone has abandoned its work. A text that names none was not written by us. */
export function mayBeAlive(text: string): boolean {
  const identity = parseIdentity(text)
  return identity !== null && processState(identity) !== 'dead'
}

/** Another boot is over. Another pid namespace (a sandbox, a container) may still exist, and its pids mean nothing here. */
function stateElsewhere(boot: string): ProcessState {
  const [theirs] = boot.split('-')
  const [ours] = bootId().split('-')
  return theirs === ours ? 'unknown' : 'dead'
}

let cachedBootId: string | null = null

function bootId(): string {
  cachedBootId ??= readBootId()
  return cachedBootId
}

function readBootId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8)
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
    return `${boot}-${namespace}`
  } catch (error) {
    // No such files outside Linux; there pid and start date have to suffice. Any other failure must not be cached as the
    // answer.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** null: no such process. Throws when the system cannot be queried. */
function startTime(pid: number): string | null {
  if (process.platform === 'linux') return linuxStartTime(pid)
  // The date that ps prints depends on locale and time zone, and the shell helper must get the same one.
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })
  if (ps.error) throw ps.error
  if (ps.signal) throw new Error(`ps was ended by ${ps.signal}`)
  return ps.stdout.trim().replace(/[\s:]+/g, '_') || null
}

function linuxStartTime(pid: number): string | null {
  const fields = linuxStat(pid)
  // A zombie has ended: only its exit code waits to be read.
  if (fields === null || fields[0] === 'Z' || fields[0] === 'X') return null
  return fields[19] ?? null
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    // It has ended.
    return []
  }
}

/** The fields after the command's name, the state first. null: no such process. */
function linuxStat(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may itself contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw error
  }
}
