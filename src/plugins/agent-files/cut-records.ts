// A copy of an agent's conversation that ends before one of its messages. The agent wrote these records, or whoever else can write
// there: a message counts only when it is found, by its text and its time, and what is not understood is not cut. Pure.
import { type JsonObject, parseObject, timeField } from '../../core/text/json-fields.ts'
import type { ConversationPoint } from '../../slots/agent.ts'
import { messageFinder } from './message-text.ts'

export interface CutRules {
  /** What a person or ao entered. */
  enteredText(record: JsonObject): string | null
  /** Of records that follow each other as a tree: their own id, and that of the one before. */
  links?(record: JsonObject): { id: string | null; parent: string | null }
  /** It begins a turn, before the message itself is recorded. */
  beginsTurn?(record: JsonObject): boolean
  /** The working directory that it names, if it does. */
  directory(record: JsonObject): string | null
  /** The record in the copy. */
  copied(record: JsonObject, to: CopiedTo): JsonObject
}

export interface CopiedTo {
  id: string
  /** A path in the workspace that it was held in, as it is in the one of the copy. */
  moved(path: unknown): unknown
}

export interface CutRequest {
  /** Lines of JSON. */
  text: string
  rules: CutRules
  point: ConversationPoint
  /** Paths of the workspace in which the conversation was held. */
  heldIn: readonly string[]
}

/** Why not, in words. */
export type Cut = { records: JsonObject[] } | { whyNot: string }

const ELSEWHERE = 'its records name another directory'

export function cutRecords({ text, rules, point, heldIn }: CutRequest): Cut {
  const records = parseLines(text)
  const at = findPoint(records, rules, point)
  if (at === -1) return { whyNot: "the agent's own records do not show that message" }
  const kept = at < records.length ? recordsBefore(records, rules, at) : records
  if (kept === null) return { whyNot: 'what its records say came before that message is not there' }
  // That of the newest record counts: a copy may begin with records from elsewhere.
  const directory = records.slice(0, at + 1).findLast((record) => rules.directory(record) !== null)
  if (directory === undefined || !isBelow(rules.directory(directory)!, heldIn)) return { whyNot: ELSEWHERE }
  if (!kept.some((record) => rules.enteredText(record) !== null))
    return { whyNot: 'its conversation begins with that message' }
  return { records: kept }
}

export function copiedText(records: readonly JsonObject[], rules: CutRules, to: CopiedTo): string {
  return records.map((record) => `${JSON.stringify(rules.copied(record, to))}\n`).join('')
}

function isBelow(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => path === directory || path.startsWith(`${directory}/`))
}

export function movedTo(target: string, heldIn: readonly string[]): CopiedTo['moved'] {
  return (path) => {
    const from = typeof path === 'string' ? heldIn.find((one) => isBelow(path, [one])) : undefined
    return from === undefined ? path : target + (path as string).slice(from.length)
  }
}

/** The fields of a record that are there already, with these values. */
export function withFields(record: JsonObject, fields: JsonObject): JsonObject {
  return { ...record, ...Object.fromEntries(Object.entries(fields).filter(([name]) => name in record)) }
}

/** Damaged lines are left out, as the agents do. */
function parseLines(text: string): JsonObject[] {
  return text.split('\n').flatMap((line): JsonObject[] => {
    const record = parseObject(line)
    return record ? [record] : []
  })
}

/** The first record that is left out; -1: it is not there. */
function findPoint(records: readonly JsonObject[], rules: CutRules, point: ConversationPoint): number {
  const findEntered = (wanted: (at: Date, text: string) => boolean) =>
    records.findIndex((record) => {
      const entered = rules.enteredText(record)
      const at = entered === null ? null : timeField(record, 'timestamp')
      return at !== null && wanted(at, entered!)
    })
  if ('before' in point) {
    const { text, since, until } = point.before
    const isMeant = messageFinder(text)
    return findEntered((at, entered) => at >= since && !(until && at >= until) && isMeant(entered))
  }
  const { until } = point
  const later = until === undefined ? -1 : findEntered((at) => at >= until)
  return later === -1 ? records.length : later
}

/** null: it cannot be told. */
function recordsBefore(records: readonly JsonObject[], rules: CutRules, at: number): JsonObject[] | null {
  const { links, beginsTurn, enteredText } = rules
  if (beginsTurn) {
    const begin = records.findLastIndex((record, index) => index < at && beginsTurn(record))
    // It was entered in the middle of a turn.
    const isFirst = begin !== -1 && !records.slice(begin, at).some((record) => enteredText(record) !== null)
    return isFirst ? records.slice(0, begin) : null
  }
  const before = records.slice(0, at)
  const parent = links?.(records[at]!).parent ?? null
  if (!links || parent === null) return links ? before.filter((record) => links(record).id === null) : before
  // What was tried and left before it, within the agent, is after the record that it follows.
  const last = before.findLastIndex((record) => links(record).id === parent)
  return last === -1 ? null : before.filter((record, index) => index <= last || links(record).id === null)
}
