// One session's record: its KEY=VALUE text, reading it whatever state it is in, replacing it as a whole, and the Session that it
// describes.
import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs'
import { AoError, errorText } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import type { PullRef } from '../../contract/pull.ts'
import { EMPTY_RECORD, recordOf, type SessionRecord } from '../../contract/record.ts'
import { DAMAGED_KEY, type Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { scratchFile } from '../../lib/lock.ts'
import { readWithStats } from '../../lib/plain-file.ts'
import type { ProjectPaths } from '../paths.ts'
import type { RecordMemory } from './record-memory.ts'

export interface StoredSession {
  id: string
  /** Everything in the file, including unknown keys. */
  pairs: Record<string, string>
  /** The meaning of the pairs. */
  record: SessionRecord
  /** Anything that could not be read in the file; empty for an intact one. */
  problems: string[]
  /** None of it is readable, so nothing may be written over it. */
  isUnreadable?: boolean
  modifiedAt: Date
}

/** Active sessions only: no dot file, no `archive`, nothing whose name cannot be an id. */
export function listSessionIds(paths: ProjectPaths): string[] {
  return listEntries(paths.sessions)
    .filter((entry) => isSafeName(entry.name) && (entry.isFile() || hadSession(paths, entry.name)))
    .map(({ name }) => name)
    .sort()
}

/** Something that is not a file is in the record's place: the session is still listed, with the problem. */
function hadSession(paths: ProjectPaths, sessionId: string): boolean {
  return existsSync(paths.historyFile(sessionId))
}

/** null: there is no such file. Never writes. */
export function readSessionFile(
  paths: ProjectPaths,
  sessionId: string,
  memory?: RecordMemory<StoredSession>,
): StoredSession | null {
  if (!isSafeName(sessionId)) return null
  const file = paths.sessionFile(sessionId)
  const stored = memory?.recall(file) ?? readStored(sessionId, file, memory)
  if (!stored?.isUnreadable || hadSession(paths, sessionId)) return stored
  // `archive` is a directory and never a session.
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? stored : null
}

/** An unreadable record says so in `problems` and does not affect the others. */
export function readStored(
  sessionId: string,
  file: string,
  memory?: RecordMemory<StoredSession>,
): StoredSession | null {
  try {
    const { bytes, stats } = readWithStats(file, { maxBytes: MAX_RECORD_BYTES, noFollow: true })
    const { pairs, problems } = parseMetadata(bytes.toString('utf8'))
    // A session is complete from its first moment, so a file without any pair has lost its content.
    if (Object.keys(pairs).length === 0) problems.push('the file holds no pair')
    const stored = { id: sessionId, modifiedAt: stats.mtime, pairs, record: recordOf({ metadata: pairs }), problems }
    memory?.keep(file, stored, stats)
    return stored
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return null
    const about = { id: sessionId, modifiedAt: stats.mtime }
    return { ...about, pairs: {}, record: EMPTY_RECORD, problems: [reasonOf(error)], isUnreadable: true }
  }
}

const MAX_RECORD_BYTES = 4 * 1024 * 1024

/** Without the path, which every caller adds in its own words. */
function reasonOf(error: unknown): string {
  if (error instanceof AoError && typeof error.details.why === 'string') return `it ${error.details.why}`
  const code = (error as NodeJS.ErrnoException).code
  return code === 'EACCES' || code === 'EPERM' ? 'it may not be read by this user' : errorText(error)
}

/** Only under the session's lock: the unfinished file is the lock owner's scratch file. */
export function writeSessionFile(paths: ProjectPaths, sessionId: string, pairs: Record<string, string>): void {
  const temporary = scratchFile(paths.lockFile(sessionId))
  writeFileAtomic(paths.sessionFile(sessionId), formatMetadata(pairs), { temporary })
}

/** Names of the regular files in a directory; [] when it does not exist yet. */
export function listFiles(directory: string): string[] {
  return listEntries(directory)
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
}

function listEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export interface ParsedMetadata {
  pairs: Record<string, string>
  /** Anything that could not be read, in words. Everything else is in `pairs`. */
  problems: string[]
}

const KEY = /^[A-Za-z0-9_.-]+$/

/** A line as ao writes it: nothing to trim or decode. Lists of sessions parse thousands of them. */
const PLAIN_LINE = /([A-Za-z0-9_.-]+)=((?:[^\0\t\n\r %](?:[^\0\n\r%]*[^\0\t\n\r %])?)?)\n/y

/** Accepts anything: hand-written, from a shell script, with CRLF, comments, spaces before `=`. Never throws. */
export function parseMetadata(text: string): ParsedMetadata {
  const pairs = new Map<string, string>()
  const problems: string[] = []
  let start = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0
  for (let number = 1; start < text.length; number++) {
    PLAIN_LINE.lastIndex = start
    const plain = PLAIN_LINE.exec(text)
    if (plain) {
      pairs.set(plain[1]!, plain[2]!)
      start = PLAIN_LINE.lastIndex
      continue
    }
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const problem = parseLine(text.slice(start, end), pairs)
    if (problem) problems.push(`line ${number} ${problem}`)
    start = end + 1
  }
  // fromEntries creates own properties even for `__proto__`, which a plain assignment would lose.
  return { pairs: Object.fromEntries(pairs), problems }
}

const BYTE_ORDER_MARK = 0xfeff

/** Says in words why a line is not a pair. */
function parseLine(raw: string, pairs: Map<string, string>): string | null {
  const content = trimBlanks(raw.endsWith('\r') ? raw.slice(0, -1) : raw)
  if (content === '' || content.startsWith('#')) return null
  const pair = splitPair(content)
  if (typeof pair === 'string') return pair
  pairs.set(pair.key, pair.value)
  return null
}

export function formatMetadata(pairs: Record<string, string>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${checkedKey(key)}=${encodeValue(value)}\n`)
    .join('')
}

/** Encodes control characters, and blanks that trimming would remove, as %XX; a `%` only where it would be decoded. */
export function encodeValue(value: string): string {
  return value.replace(ENCODED, (found) => {
    if (found.startsWith('%')) return `%25${found.slice(1)}`
    return `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** The exact inverse, in one pass. Any other %XX is left alone: values are often URLs. */
export function decodeValue(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(DECODED, (found) => String.fromCharCode(Number.parseInt(found.slice(1), 16)))
}

// \p{Cc} without tab and C1: the control characters below the space, and DEL.
const ENCODED = /^[ \t]|[ \t]$|^%20|%20$|%(?=[01]|7[Ff]|25)|(?![\t\u0080-\u009F])\p{Cc}/gu
const DECODED = /^%20|%20$|%25|%[01][0-9A-Fa-f]|%7[Ff]/g

function splitPair(content: string): { key: string; value: string } | string {
  if (content.includes('\0')) return 'holds NUL bytes'
  const equals = content.indexOf('=')
  if (equals === -1) return 'is not a KEY=VALUE pair'
  const key = trimBlanks(content.slice(0, equals))
  if (!KEY.test(key)) return 'has no valid key'
  return { key, value: decodeValue(trimBlanks(content.slice(equals + 1))) }
}

/** Only what the encoder protects: other Unicode white space belongs to the value. */
function trimBlanks(text: string): string {
  // Nearly every line has none: a list reads thousands of them.
  if (!isBlank(text.charCodeAt(0)) && !isBlank(text.charCodeAt(text.length - 1))) return text
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function checkedKey(key: string): string {
  if (KEY.test(key)) return key
  throw new AoError('INTERNAL', `${JSON.stringify(key)} cannot be a metadata key`)
}

export interface MetadataFacts {
  /** When the file was last written, if no key says when the agent was last active. */
  modifiedAt?: Date
  /** Anything that could not be read in the record. */
  problems?: string[]
}

const SHOWN_PROBLEMS = 3

/** A hand-written file may not name its project; its directory does. */
export function storedSession(
  stored: Pick<StoredSession, 'id' | 'pairs'> & Partial<StoredSession>,
  projectId: string,
): Session {
  return { ...metadataToSession(stored.id, stored.pairs, stored), projectId }
}

export function metadataToSession(sessionId: string, raw: Record<string, string>, facts: MetadataFacts = {}): Session {
  const record = recordOf({ metadata: raw })
  const createdAt = record.createdAt ?? facts.modifiedAt ?? new Date(0)
  const damaged = facts.problems?.slice(0, SHOWN_PROBLEMS).join('; ')
  const { runtimeHandle = null } = record
  const summary = record.pinnedSummary ?? record.summary
  return {
    id: sessionId,
    projectId: record.project ?? '',
    status: record.status ?? statusWithoutWord(Boolean(damaged) && runtimeHandle === null),
    activity: null,
    branch: record.branch ?? null,
    issueId: record.issue ?? null,
    pr: toPR(record.pr),
    workspacePath: record.worktree ?? null,
    runtimeHandle,
    agentInfo: summary === undefined ? null : { summary, agentSessionId: record.opencodeSessionId ?? null },
    createdAt,
    lastActivityAt: record.lastActivityAt ?? facts.modifiedAt ?? createdAt,
    ...(record.restoredAt ? { restoredAt: record.restoredAt } : {}),
    // The same object when nothing is added: parsed results are cached with it.
    metadata: damaged ? { ...raw, [DAMAGED_KEY]: damaged } : raw,
  }
}

/**
 * An unknown word (a typo, a newer version) reads as `working`: the next observation corrects it, while a terminal status
 * would offer a running agent to cleanup and `spawning` would offer it to recovery. A record that lost both its status and
 * its handle says nothing about work: it is `errored`, and `damaged` says why.
 */
function statusWithoutWord(isLost: boolean): SessionStatus {
  return isLost ? 'errored' : 'working'
}

const PR_URL = /^https?:\/\/[^/]+\/(.+)\/((?!-\/)[^/]+)\/(?:-\/)?(?:pulls?|merge_requests)\/([0-9]+)\/?(?:[?#].*)?$/

function toPR(url: string | undefined): PullRef | null {
  if (!url) return null
  const match = PR_URL.exec(url)
  if (!match) return { url }
  const [, owner = '', repo = '', number] = match
  return { url, number: Number(number), owner, repo }
}
