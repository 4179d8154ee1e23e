// What a session waits for before it starts: another session, an issue, or a pull request; and where it stands when it did not wait.

export type Blocker =
  | { kind: 'session'; id: string }
  | { kind: 'issue'; project: string; id: string }
  | { kind: 'pull'; project: string; number: number }

/** `landed`: it no longer blocks. `failed`: it ended without landing. `unknown`: it could not be asked, so it still blocks. */
export type BlockerState = 'open' | 'landed' | 'failed' | 'unknown'

export interface ObservedBlocker {
  blocker: Blocker
  state: BlockerState
  /** Completes "app-3 …": `is working`, `was closed without landing`. */
  detail: string
  /** The work that is open, where another session may stand on it; absent: nobody may. */
  stand?: Stand | undefined
}

/** A session whose branch others can start from. */
export interface Stand {
  session: string
  branch: string
  /** The sessions that it stands on itself, nearest first. */
  under: readonly string[]
}

/** Where a session stands that started on work which had not landed. Kept until that has landed below it. */
export interface StackPosition {
  /** The session whose branch is its base; null: that has landed, and its commits are still below. */
  on: string | null
  /** The commit that its own work begins after; absent: it has not been started. */
  at?: string | undefined
  /** Bases that have landed: no pull request of it may stay there. */
  dead?: string[] | undefined
  /** A restack under way: its own commits after `at` become `to`, on `onto`; its branch was at `from`. */
  moving?: { onto: string; from: string; to: string } | undefined
  /** The agent was asked to rebase onto this commit by itself. */
  requested?: string | undefined
  /** Why it does not follow by itself. */
  why?: string | undefined
}

export function isStackPosition(value: unknown): value is StackPosition {
  if (typeof value !== 'object' || value === null) return false
  const { on, at, dead = [], moving, requested = '', why = '' } = value as Partial<Record<keyof StackPosition, unknown>>
  const areTexts = (list: readonly unknown[]) => list.every((one) => typeof one === 'string')
  if (!(on === null || typeof on === 'string') || !Array.isArray(dead)) return false
  if (at !== undefined && !isCommitId(at)) return false
  if (!areTexts([...dead, requested, why])) return false
  if (moving === undefined) return true
  const { onto, from, to } = (moving ?? {}) as Record<string, unknown>
  return [onto, from, to].every(isCommitId)
}

export function isCommitId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value)
}

/** Of a record: it is to start once everything it needs has landed. */
export function isWaiting(record: { waitsSince?: unknown; operation?: unknown; endedAs?: unknown }): boolean {
  return record.waitsSince !== undefined && record.operation === undefined && record.endedAs === undefined
}

/** One word without spaces, as a record keeps it. */
export function writeBlocker(blocker: Blocker): string {
  if (blocker.kind === 'session') return `session:${blocker.id}`
  const id = blocker.kind === 'issue' ? encodeURIComponent(blocker.id) : String(blocker.number)
  return `${blocker.kind}:${encodeURIComponent(blocker.project)}:${id}`
}

/** null: not one. */
export function parseBlocker(word: string): Blocker | null {
  const [kind, first = '', second = '', ...rest] = word.split(':')
  if (rest.length > 0 || first === '') return null
  if (kind === 'session') return second === '' ? { kind, id: first } : null
  const project = decode(first)
  const id = decode(second)
  if (!project || !id) return null
  if (kind === 'issue') return { kind, project, id }
  return kind === 'pull' && /^[1-9]\d{0,9}$/.test(id) ? { kind, project, number: Number(id) } : null
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    // Edited by hand.
    return null
  }
}

// A task may have several sessions: the same work several times, one of which is chosen; one piece of work over several
// repositories, which lands as a whole; or the parts that a larger one was split into.

export type TaskKind = 'best' | 'group' | 'split'

/** A session's part in its task, as its record has it. */
export interface TaskMark {
  id: string
  kind: TaskKind
  /** From 1; in a group, also the order of landing. */
  index: number
  of: number
  /** A person has chosen it among the tries, or its turn in the group has come. */
  chosen?: true | undefined
}

const ID = /^t[0-9a-f]{8}$/

/** Without a dash: never the id of a session. */
export function isTaskId(text: string): boolean {
  return ID.test(text)
}

export function isTaskMark(value: unknown): value is TaskMark {
  const { id, kind, index, of } = (value ?? {}) as Partial<TaskMark>
  return (
    typeof id === 'string' &&
    isTaskId(id) &&
    (kind === 'best' || kind === 'group' || kind === 'split') &&
    Number.isInteger(index) &&
    Number.isInteger(of) &&
    index! >= 1 &&
    index! <= of!
  )
}

/** Of a record: not one of several tries, unless it was chosen, and not part of a group. */
export function landsAlone({ task }: { task?: TaskMark | undefined }): boolean {
  return task === undefined || task.kind === 'split' || task.chosen === true
}

const WORDS: Readonly<Record<TaskKind, string>> = { best: 'try', group: 'group', split: 'part' }

/** For lists: `try 2/3`, `group 1/2`, `part 4/5`. */
export function taskWord({ kind, index, of }: TaskMark): string {
  return `${WORDS[kind]} ${index}/${of}`
}
