// What a person keeps at hand: pinned sessions, and searches under a name. One small file for each configuration, which the
// page and all commands share. A damaged one is named and left as it is: it was written by a person's hand, or by another version.
import { join } from 'node:path'
import type { Pin } from '../contract/dashboard/search.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { isSafeName } from '../contract/ids.ts'
import { requireOwnVersion, writeFileAtomic } from '../lib/atomic-write.ts'
import { withLock } from '../lib/lock.ts'
import { readIfThere } from '../lib/plain-file.ts'
import type { AoPaths } from './paths.ts'

export interface Saved {
  pins: Pin[]
  /** What is searched for, by name. */
  queries: Record<string, string>
}

const MOST_PINS = 500
const MOST_QUERIES = 200
const LONGEST_NAME = 60
const LONGEST_QUERY = 1_000
const MOST_BYTES = 1024 * 1024

type InDataDir = Pick<AoPaths, 'dataDir' | 'hash'>

export function savedFile({ dataDir, hash }: InDataDir): string {
  return join(dataDir, `${hash}.saved.json`)
}

/** `problem`: why it cannot be read; then nothing counts as saved. */
export function readSaved(paths: InDataDir): Saved & { problem: string | null } {
  try {
    return { ...parsed(paths), problem: null }
  } catch (error) {
    const problem = `Pins and saved searches are ignored: ${savedFile(paths)} cannot be read: ${errorText(error)}`
    return { pins: [], queries: {}, problem }
  }
}

/** The first pins are the oldest. */
export function pin(paths: InDataDir, session: string, folder: string | null): Promise<Saved> {
  if (folder !== null) requireName('folder', folder)
  return changeSaved(paths, (saved) => {
    const others = saved.pins.filter((one) => one.session !== session)
    const before = saved.pins.find((one) => one.session === session)
    if (before?.folder === folder) return saved
    return { ...saved, pins: limited([...others, { session, folder }], MOST_PINS, 'pinned sessions') }
  })
}

export function unpin(paths: InDataDir, session: string): Promise<Saved> {
  return changeSaved(paths, (saved) => ({ ...saved, pins: saved.pins.filter((one) => one.session !== session) }))
}

/** `query` null: it is forgotten. */
export function saveQuery(paths: InDataDir, name: string, query: string | null): Promise<Saved> {
  requireName('search', name)
  if (query !== null && (query.trim() === '' || query.length > LONGEST_QUERY))
    throw new AoError('USAGE', `A search has 1 to ${LONGEST_QUERY} characters`, { hint: 'ao search --help' })
  return changeSaved(paths, (saved) => {
    const { [name]: _, ...others } = saved.queries
    if (query === null) return { ...saved, queries: others }
    const all = limited([...Object.entries(others), [name, query] as const], MOST_QUERIES, 'saved searches')
    return { ...saved, queries: Object.fromEntries(all) }
  })
}

export interface ExpandedQuery {
  text: string
  /** Why it is searched for as it is, although it looks like the name of a saved one. */
  note: string | null
}

/** `@name more words` with what was saved under the name; any other text as it is. */
export function expandQuery(paths: InDataDir, text: string): ExpandedQuery {
  const [, name, rest = ''] = /^\s*@([\p{L}\p{N}_-]+)(?:\s+(.*))?$/su.exec(text) ?? []
  if (name === undefined) return { text, note: null }
  const { queries, problem } = readSaved(paths)
  if (problem !== null) throw damaged(paths, problem)
  if (!Object.hasOwn(queries, name))
    return { text, note: `No search is saved as ${name}: it is searched for as text. See: ao search --saved` }
  return { text: `${queries[name]} ${rest}`.trim(), note: null }
}

function changeSaved(paths: InDataDir, change: (saved: Saved) => Saved): Promise<Saved> {
  const file = savedFile(paths)
  return withLock(`${file}.lock`, () => {
    let before: Saved
    try {
      before = parsed(paths)
    } catch (error) {
      requireOwnVersion(file)
      throw damaged(paths, `${file} cannot be read, so it is not changed: ${errorText(error)}`)
    }
    const after = change(before)
    if (after !== before) writeFileAtomic(file, `${JSON.stringify(after, null, 2)}\n`)
    return after
  })
}

function damaged(paths: InDataDir, why: string): AoError {
  const file = savedFile(paths)
  return new AoError('METADATA_DAMAGED', why, {
    hint: `Correct ${file}, or move it away to begin anew: mv ${file} ${file}.old`,
    details: { path: file },
  })
}

/** What a newer version keeps beside these stays. */
function parsed(paths: InDataDir): Saved {
  const value: unknown = JSON.parse(readIfThere(savedFile(paths), { maxBytes: MOST_BYTES }) ?? '{}')
  const { pins = [], queries = {}, ...others } = (value ?? {}) as Partial<Saved>
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not a JSON object')
  if (!Array.isArray(pins) || !pins.every(isPin)) throw new Error('"pins" is not a list of { session, folder }')
  if (typeof queries !== 'object' || queries === null || !Object.entries(queries).every(isQuery))
    throw new Error('"queries" is not an object of names and texts')
  return { ...others, pins, queries }
}

function isPin(value: unknown): value is Pin {
  const { session, folder } = (value ?? {}) as Partial<Pin>
  if (typeof session !== 'string' || !isSafeName(session)) return false
  return folder === null || (typeof folder === 'string' && isName(folder))
}

function isQuery([name, query]: [string, unknown]): boolean {
  return isName(name) && typeof query === 'string' && query.length <= LONGEST_QUERY
}

/** Also typed after `@`, so without spaces. */
function isName(name: string): boolean {
  return name.length <= LONGEST_NAME && /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name)
}

function requireName(what: string, name: string): void {
  if (isName(name)) return
  throw new AoError('USAGE', `The name of a ${what} has 1 to ${LONGEST_NAME} letters, digits, _ and -`, {
    hint: 'For example: release-2',
  })
}

function limited<T>(all: T[], most: number, what: string): T[] {
  if (all.length <= most) return all
  throw new AoError('USAGE', `There are ${most} ${what} already`, { hint: 'Remove some of them first' })
}
