// Issues without a server: `issues/{n}.md` in the project's data directory, with front matter, text and comments. Numbers are never
// reused; files that were edited by hand are accepted, too.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { createFileExclusive, requireOwnVersion, writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import { numbersIn, readIfThere } from '../../lib/plain-file.ts'
import type { IssueComment } from '../../slots/tracker.ts'
import { reserveNumber } from '../reserve-number.ts'

export interface LocalIssue {
  number: number
  title: string
  state: 'open' | 'in_progress' | 'closed' | 'cancelled'
  labels: string[]
  /** In the file the first one is `assignee`, as it has always been; `assignees` is there for more than one. */
  assignees: string[]
  author?: string | undefined
  priority?: number | undefined
  createdAt?: string | undefined
  closedAt?: string | undefined
  body: string
  comments: IssueComment[]
  /** Keys of the front matter that somebody else added; they stay. */
  others: Record<string, unknown>
}

/** The parser costs more than most commands, so it is loaded only when an issue is read. */
interface Yaml {
  parse(text: string): unknown
  stringify(value: unknown): string
}

export interface LocalIssueStore {
  directory: string
  /** In numeric order. Unreadable files are listed, not dropped. */
  list(): Promise<{ issues: LocalIssue[]; damaged: Array<{ file: string; why: string }> }>
  /** null: there is no such issue. Throws METADATA_DAMAGED when it exists but is unreadable. */
  read(number: number): Promise<LocalIssue | null>
  create(issue: NewLocalIssue): Promise<LocalIssue>
  /** null: there is no such issue. `change` sees what is stored now. */
  update(number: number, change: (issue: LocalIssue) => LocalIssue): Promise<LocalIssue | null>
}

export type NewLocalIssue = Pick<LocalIssue, 'title' | 'body' | 'labels'> &
  Partial<Pick<LocalIssue, 'assignees' | 'author'>>

export function createLocalIssues(options: { projectDir: string; clock: Clock }): LocalIssueStore {
  const directory = join(options.projectDir, 'issues')
  const locked = <T>(work: (yaml: Yaml) => T): Promise<T> => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return withLock(join(directory, '.lock'), async () => work(await loadYaml()))
  }
  return {
    directory,
    async list() {
      const numbers = numbersIn(directory, '.md')
      if (numbers.length === 0) return { issues: [], damaged: [] }
      return readAll(directory, numbers, await loadYaml())
    },
    read: async (number) => readOne(directory, number, await loadYaml()),
    async create(issue) {
      for (;;) {
        const number = await reserveNumber(options.projectDir)
        const now = options.clock.now()
        const created = await locked((yaml) => createIssue(directory, { ...issue, number }, { yaml, now }))
        if (created) return created
      }
    },
    update: (number, change) =>
      locked((yaml) => {
        const before = readOne(directory, number, yaml)
        if (before === null) return null
        const after = { ...change(before), number }
        writeFileAtomic(fileOf(directory, number), formatIssue(after, yaml))
        return after
      }),
  }
}

function loadYaml(): Promise<Yaml> {
  return import('./issue-yaml.ts')
}

/** null: somebody put a file of this number there by hand just now. */
function createIssue(
  directory: string,
  given: NewLocalIssue & { number: number },
  { yaml, now }: { yaml: Yaml; now: Date },
): LocalIssue | null {
  const createdAt = now.toISOString()
  const issue: LocalIssue = { assignees: [], ...given, state: 'open', createdAt, comments: [], others: {} }
  return createFileExclusive(fileOf(directory, issue.number), formatIssue(issue, yaml)) ? issue : null
}

function readAll(directory: string, numbers: number[], yaml: Yaml): Awaited<ReturnType<LocalIssueStore['list']>> {
  const issues: LocalIssue[] = []
  const damaged: Array<{ file: string; why: string }> = []
  for (const number of numbers) {
    const file = fileOf(directory, number)
    try {
      const text = readIfThere(file)
      if (text === null) continue
      const issue = parseIssue(number, text, yaml)
      if (typeof issue === 'string') damaged.push({ file, why: issue })
      else issues.push(issue)
    } catch (error) {
      damaged.push({ file, why: errorText(error) })
    }
  }
  return { issues, damaged }
}

function readOne(directory: string, number: number, yaml: Yaml): LocalIssue | null {
  const file = fileOf(directory, number)
  const text = readIfThere(file)
  if (text === null) return null
  const issue = parseIssue(number, text, yaml)
  if (typeof issue !== 'string') return issue
  requireOwnVersion(file)
  throw new AoError('METADATA_DAMAGED', `The issue ${file} cannot be read: ${issue}`, {
    hint: `Correct it by hand: ${file}`,
    details: { file },
  })
}

function fileOf(directory: string, number: number): string {
  return join(directory, `${number}.md`)
}

// One issue as text and back.

export function formatIssue(issue: LocalIssue, yaml: Yaml): string {
  const { body, comments, others, assignees, ...fields } = issue
  const [assignee] = assignees
  const front = yaml
    .stringify({ ...others, ...fields, assignee, assignees: assignees.length > 1 ? assignees : undefined })
    .trimEnd()
  const commentTexts = comments.map((one) => `\n${commentLine(one)}\n${escapeText(one.body)}\n`)
  return `---\n${front}\n---\n\n${escapeText(body)}\n${commentTexts.join('')}`
}

/** The issue, or why the file is not one. */
export function parseIssue(number: number, text: string, yaml: Yaml): LocalIssue | string {
  const { front, rest } = splitFront(text.replace(/\r\n/g, '\n'))
  let fields: Record<string, unknown>
  try {
    const parsed = front === null ? {} : (yaml.parse(front) ?? {})
    if (typeof parsed !== 'object' || Array.isArray(parsed)) return 'its front matter is not a list of keys'
    fields = parsed as Record<string, unknown>
  } catch (error) {
    return `its front matter is not valid YAML: ${errorText(error).split('\n')[0]}`
  }
  const { body, comments } = splitComments(rest)
  const heading = /^[ \t]*#[ \t]+(.+)$/m.exec(body)
  const {
    number: _,
    title,
    state,
    labels,
    assignee,
    assignees,
    author,
    priority,
    createdAt,
    closedAt,
    ...others
  } = fields
  return {
    number,
    title: textOf(title) ?? heading?.[1]?.trim() ?? `Issue ${number}`,
    state: stateOf(state),
    labels: namesOf(labels),
    assignees: [...new Set([...namesOf(textOf(assignee)), ...namesOf(assignees)])],
    author: textOf(author),
    createdAt: dateOf(createdAt),
    closedAt: dateOf(closedAt),
    priority: typeof priority === 'number' ? priority : undefined,
    body,
    comments,
    others,
  }
}

const COMMENT = /^<!-- ao:comment (\{.*\}) -->$/

function commentLine({ author, createdAt }: IssueComment): string {
  // Neither delimiter of the HTML comment may appear inside.
  return `<!-- ao:comment ${JSON.stringify({ author, createdAt }).replace(/[<>]/g, (char) => (char === '<' ? '\\u003c' : '\\u003e'))} -->`
}

/** A line of text that would read as our own mark gets a backslash, which is removed again on reading. */
function escapeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .trimEnd()
    .replace(/^(\\*<!-- ao:comment )/gm, '\\$1')
}

function unescapeText(text: string): string {
  return text.trim().replace(/^\\(\\*<!-- ao:comment )/gm, '$1')
}

function splitFront(text: string): { front: string | null; rest: string } {
  const match = /^---[ \t]*\n([\s\S]*?)\n?---[ \t]*(?:\n|$)/.exec(text)
  return match ? { front: match[1]!, rest: text.slice(match[0].length) } : { front: null, rest: text }
}

function splitComments(text: string): { body: string; comments: IssueComment[] } {
  const parts: Array<{ mark: Omit<IssueComment, 'body'> | null; lines: string[] }> = [{ mark: null, lines: [] }]
  for (const line of text.split('\n')) {
    const mark = readMark(line)
    if (mark) parts.push({ mark, lines: [] })
    else parts.at(-1)!.lines.push(line)
  }
  const [first, ...others] = parts.map(({ mark, lines }) => ({ mark, body: unescapeText(lines.join('\n')) }))
  return { body: first!.body, comments: others.map(({ mark, body }) => ({ ...mark!, body })) }
}

function readMark(line: string): Omit<IssueComment, 'body'> | null {
  const json = COMMENT.exec(line)?.[1]
  if (json === undefined) return null
  try {
    const { author, createdAt } = JSON.parse(json) as Partial<IssueComment>
    return { author: author ?? 'unknown', createdAt: createdAt ?? '' }
  } catch {
    // A broken mark is an ordinary line.
    return null
  }
}

function stateOf(value: unknown): LocalIssue['state'] {
  const word = String(value ?? 'open')
    .toLowerCase()
    .replace(/[ -]/g, '_')
  if (word === 'closed' || word === 'done' || word === 'completed') return 'closed'
  if (word === 'cancelled' || word === 'canceled' || word === 'in_progress')
    return word === 'in_progress' ? word : 'cancelled'
  return 'open'
}

/** A list, or names separated by commas. */
export function namesOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : value == null || typeof value === 'object' ? [] : String(value).split(',')
  return [...new Set(list.map((one) => String(one).trim()).filter((one) => one !== ''))]
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'object') return undefined
  const text = String(value).trim()
  return text === '' ? undefined : text
}

function dateOf(value: unknown): string | undefined {
  return value instanceof Date ? value.toISOString() : textOf(value)
}
