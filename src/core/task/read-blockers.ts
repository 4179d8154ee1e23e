// What work depends on, from what people write: `--needs` on a command line, and `Depends-On:` lines in an issue. Pure.
import { type Blocker, isWaiting, writeBlocker } from '../../contract/blocker.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'

export interface BlockerNames {
  /** The project that the work is in. */
  project: string
  /** By id, by prefix of session ids, or by its repository, `owner/name`; null: none is called so. */
  findProject(name: string): string | null
  isSession(id: string): boolean
}

/** More than this is a mistake, or somebody's joke in an issue. */
export const MOST_BLOCKERS = 20
/** Each is looked up on the disk, and anybody may write an issue. */
const MOST_WORDS = 100

/**
 * A reference as a person types it: `app-3`, `12`, `#12`, `INT-7`, `api/12`, `pr:7`, `api/pr:7`, `owner/name#12`. null: it names
 * nothing.
 */
export function readBlocker(text: string, names: BlockerNames): Blocker | null {
  const word = text.trim()
  if (names.isSession(word)) return { kind: 'session', id: word }
  const elsewhere = relatedIssue(word, names)
  if (elsewhere !== null) return names.findProject(elsewhere.project) === null ? null : elsewhere
  const slash = word.indexOf('/')
  const other = slash > 0 ? names.findProject(word.slice(0, slash)) : null
  const project = other ?? names.project
  const id = (other === null ? word : word.slice(slash + 1)).trim()
  const pull = /^(?:pr:|!)([1-9]\d{0,8})$/i.exec(id)
  if (pull) return { kind: 'pull', project, number: Number(pull[1]) }
  return ISSUE.test(id) ? { kind: 'issue', project, id: id.replace(/^#/, '') } : null
}

// Of a repository, which may be in groups of groups.
const ELSEWHERE = /^((?:[\w.-]{1,100}\/){1,10}[\w.-]{1,100})#([1-9]\d{0,8})$/

/** As trackers name an issue of another repository. Its project may be none of the configuration. null: not such a name. */
export function relatedIssue(
  text: string,
  { findProject }: Pick<BlockerNames, 'findProject'>,
): Extract<Blocker, { kind: 'issue' }> | null {
  const [, repository, id] = ELSEWHERE.exec(text) ?? []
  if (repository === undefined || id === undefined) return null
  return { kind: 'issue', project: findProject(repository) ?? repository, id }
}

// A number or a key such as `INT-7`: no address, and nothing that a forge, a path or a shell would read as something else.
const ISSUE = /^(?:#?\d{1,9}|[A-Za-z][A-Za-z0-9]{0,19}-\d{1,9})$/

// Each part begins with what the one before cannot end with: however long a line is, there is one way to read it.
const LINE = /^[ \t>*-]*(?:depends[- ]on|blocked[- ]by)[ \t]*:[ \t]*(\S.*)$/gim

/** Of an issue's text. Other text on such a line is skipped: people write sentences there. */
export function blockersIn(description: string, names: BlockerNames): Blocker[] {
  const found = [...description.matchAll(LINE)].flatMap(([, list = '']) => list.split(/[\s,;]+|\band\b/))
  return uniqueBlockers(found.slice(0, MOST_WORDS).flatMap((word) => readBlocker(word, names) ?? []))
}

/** null: it does not wait. */
export function waitsFor(session: Pick<Session, 'metadata' | 'projectId'>): string | null {
  const record = recordOf(session)
  if (!isWaiting(record)) return null
  const names = (record.blockers ?? []).map((one) => blockerName(one, session.projectId))
  return `waits for ${names.join(', ') || 'room to start'}`
}

export function uniqueBlockers(blockers: readonly Blocker[]): Blocker[] {
  const byWord = new Map(blockers.map((blocker) => [writeBlocker(blocker), blocker]))
  return [...byWord.values()].slice(0, MOST_BLOCKERS)
}

/** As people write it; `project` is left out for those of its own. */
export function blockerName(blocker: Blocker, project: string): string {
  if (blocker.kind === 'session') return blocker.id
  const own = blocker.project === project ? '' : `${blocker.project}/`
  if (blocker.kind === 'pull') return `${own}pr:${blocker.number}`
  return own === '' && /^\d/.test(blocker.id) ? `#${blocker.id}` : `${own}${blocker.id}`
}
