// Reads a recorded day. Anybody may have written the file: every line is compared with its check and with the shape that it must have, and a
// file that is wrong anywhere is refused as a whole.
import { basename } from 'node:path'
import * as z from 'zod/mini'
import { AoError } from '../contract/errors.ts'
import { ACTIVITY_STATES, isSessionStatus, type SessionStatus } from '../contract/status.ts'
import { CASSETTE_VERSION, type CassetteLine } from '../core/recording/cassette.ts'
import { showHidden } from '../core/text/show-hidden.ts'
import { readPlainText } from '../lib/plain-file.ts'
import { checkOf } from '../lifecycle/cassette/encode-rounds.ts'

/** A day is at most half of this. */
const MOST_BYTES = 128 * 1024 * 1024
const MOST_SESSIONS = 5_000

const count = z.number().check(z.gte(0), z.lte(1e12))
const time = z.number().check(z.gte(0), z.lte(8.64e15))
/** A hash, a word of ours or a number: nothing that a terminal obeys, and nothing long. */
const word = z.string().check(z.maxLength(400), z.regex(/^[\x20-\x7e]*$/))
const id = z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,99}$/))
const status = z.custom<SessionStatus>((value) => typeof value === 'string' && isSessionStatus(value))
const ofSessions = <T extends z.core.$ZodType>(value: T) => z.record(id, value)

const memoryRecord = z.strictObject({
  fingerprint: z.string().check(z.maxLength(20_000)),
  attempts: count,
  firstAt: time,
  lastAt: time,
  state: z.enum(['intended', 'done', 'failed', 'dropped']),
  action: z.optional(word),
  retryAt: time,
  escalated: z.boolean(),
  escalating: z.optional(z.boolean()),
  failures: z.optional(count),
  told: z.string().check(z.maxLength(20_000)),
  heard: z.optional(z.string().check(z.maxLength(20_000))),
  progress: z.optional(
    z.strictObject({ head: z.optional(word), pr: z.optional(z.string()), attendedAt: z.optional(word) }),
  ),
  waitingSince: z.optional(time),
  lapsed: z.optional(z.boolean()),
})

const numbers = z.array(count)
const landing = z.union([
  z.strictObject({ why: z.literal('red'), check: word, commit: word, ahead: numbers }),
  z.strictObject({ why: z.literal('stranded'), commit: word, pulls: numbers }),
  z.strictObject({ why: z.literal('refused') }),
  z.strictObject({
    why: z.literal('conflict'),
    files: z.array(word),
    partners: z.optional(numbers),
    onto: z.optional(z.strictObject({ commit: word, pulls: numbers })),
  }),
])
const pullState = z.enum(['open', 'merged', 'closed'])
const ci = z.enum(['passing', 'failing', 'pending', 'none'])
const review = z.enum(['approved', 'changes_requested', 'pending', 'none'])
const pullFacts = z.strictObject({
  url: word,
  state: pullState,
  ci,
  review,
  mergeable: z.nullable(z.boolean()),
  isDraft: z.optional(z.literal(true)),
  left: z.optional(word),
  waits: z.optional(word),
  byHand: z.optional(z.literal(true)),
  isOwn: z.optional(z.literal(true)),
  branch: z.optional(word),
  base: z.optional(word),
  head: z.optional(word),
})
export const newsShape = z.strictObject({
  pull: z.strictObject({
    pr: z.strictObject({
      url: word,
      number: count,
      branch: z.optional(word),
      baseBranch: z.optional(word),
      isDraft: z.optional(z.literal(true)),
    }),
    state: pullState,
    headSha: word,
    ci,
    review,
    hasConflicts: z.nullable(z.boolean()),
    mergeable: z.nullable(z.boolean()),
    failingOnBase: z.array(word),
  }),
  facts: pullFacts,
  isFurther: z.boolean(),
  failedChecks: z.array(z.strictObject({ name: word, logTail: word })),
  remarks: z.array(z.strictObject({ id: word, isBot: z.boolean() })),
  requests: z.array(word),
  isAboard: z.boolean(),
  isInLine: z.boolean(),
  landing: z.nullable(landing),
  reviewable: z.boolean(),
  reviewed: z.nullable(z.strictObject({ reviewer: word, failed: z.nullable(word), findings: count })),
  reviewFrom: z.nullable(word),
  isReviewOutdated: z.boolean(),
})

const pairs = z.record(z.string().check(z.regex(/^[A-Za-z]{1,40}$/)), z.nullable(z.string().check(z.maxLength(20_000))))
const sessionChanges = z.strictObject({
  record: z.optional(pairs),
  live: z.optional(
    z.nullable(
      z.strictObject({
        state: z.enum(['alive', 'dead', 'unknown']),
        exitCode: z.optional(z.nullable(z.number())),
        signal: z.optional(z.nullable(word)),
        lost: z.optional(z.boolean()),
      }),
    ),
  ),
  reading: z.optional(z.nullable(z.strictObject({ state: z.enum(ACTIVITY_STATES), at: z.nullable(time) }))),
  operation: z.optional(
    z.nullable(z.strictObject({ kind: word, ownerAlive: z.boolean(), keepWorkspace: z.boolean() })),
  ),
  limitResetsAt: z.optional(z.nullable(time)),
  isPaused: z.optional(z.boolean()),
  isFleetPaused: z.optional(z.boolean()),
  isGlimpse: z.optional(z.boolean()),
  isActing: z.optional(z.boolean()),
  promptSeen: z.optional(z.boolean()),
  expired: z.optional(z.boolean()),
  cost: z.optional(z.nullable(z.tuple([count, count, count, count, z.nullable(count)]))),
  head: z.optional(z.nullable(word)),
  pulls: z.optional(z.array(newsShape).check(z.maxLength(100))),
  collisions: z.optional(
    z.nullable(z.array(z.strictObject({ other: word, files: z.array(word), red: z.optional(word) }))),
  ),
  undecided: z.optional(z.array(word)),
  memory: z.optional(z.nullable(z.record(word, memoryRecord))),
})

const line = z.union([
  z.strictObject({
    k: z.literal('start'),
    v: z.literal(CASSETTE_VERSION),
    ao: word,
    project: id,
    t: time,
    zone: z.number().check(z.gte(-1_000), z.lte(1_000)),
    settings: word,
    ledger: z.nullable(
      z.strictObject({ day: word, sessions: ofSessions(z.strictObject({ lastUsd: count, todayUsd: count })) }),
    ),
  }),
  z.strictObject({
    k: z.literal('round'),
    t: time,
    only: z.optional(z.array(id)),
    s: ofSessions(sessionChanges),
    o: z.optional(z.array(id)),
    f: z.optional(z.array(id)),
    gone: z.optional(z.array(id)),
    d: z.optional(ofSessions(z.array(z.tuple([word, word, count])))),
    st: z.optional(ofSessions(status)),
  }),
  z.strictObject({ k: z.literal('acted'), t: time, s: id, o: z.array(z.tuple([word, z.boolean(), time])) }),
  z.strictObject({ k: z.literal('notice'), t: time, type: word, about: word }),
  z.strictObject({
    k: z.literal('train'),
    t: time,
    type: word,
    pull: z.nullable(count),
    why: z.optional(word),
    others: z.optional(numbers),
    head: z.optional(word),
  }),
  z.strictObject({ k: z.literal('backlog'), t: time, free: count, room: count }),
])

/** Throws `CASSETTE_DAMAGED`, with the line; nothing of such a file is used. */
export function readCassette(file: string): CassetteLine[] {
  return parseCassette(readPlainText(file, { maxBytes: MOST_BYTES }), basename(file))
}

export function parseCassette(text: string, name: string): CassetteLine[] {
  const refuse = (at: number, why: string): never => {
    throw new AoError('CASSETTE_DAMAGED', `${showHidden(name)} cannot be replayed: line ${at} ${why}`)
  }
  if (text === '') return refuse(1, 'is missing, the file is empty')
  if (!text.endsWith('\n')) return refuse(text.split('\n').length, 'is cut off')
  const parsed: CassetteLine[] = []
  const sessions = new Set<string>()
  let check = ''
  let last = 0
  for (const [index, row] of text.slice(0, -1).split('\n').entries()) {
    const at = index + 1
    const [, body = '', found] = /^(\{.*),"c":"([0-9a-f]{16})"\}$/.exec(row) ?? []
    const json = `${body}}`
    const value = found === undefined ? undefined : parseJson(json)
    if (typeof value !== 'object' || value === null) return refuse(at, 'is damaged')
    const { k, v } = value as { k?: unknown; v?: unknown }
    if (k === 'start' && typeof v === 'number' && v > CASSETTE_VERSION)
      return refuse(at, `is of version ${v}, and this version of ao reads ${CASSETTE_VERSION}`)
    check = checkOf(k === 'start' ? '' : check, json)
    if (check !== found) return refuse(at, 'is damaged: it is not what was recorded after the line before it')
    const shaped = line.safeParse(value)
    if (!shaped.success) return refuse(at, `has something that no recording has${whereOf(shaped.error)}`)
    const one = shaped.data as CassetteLine
    if (parsed.length === 0 && one.k !== 'start') return refuse(at, 'is not the beginning of a recording')
    // Between two starts of the loop the clock may have been set back.
    if (one.k !== 'start' && one.t < last) return refuse(at, 'is earlier than the line before it')
    last = one.t
    if (one.k === 'round') for (const session of [...Object.keys(one.s), ...(one.o ?? [])]) sessions.add(session)
    if (sessions.size > MOST_SESSIONS) return refuse(at, `has more than ${MOST_SESSIONS} sessions`)
    parsed.push(one)
  }
  return parsed
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Said with its line.
    return undefined
  }
}

function whereOf({ issues }: z.core.$ZodError): string {
  const path = issues[0]?.path.map((part) => showHidden(String(part)).slice(0, 40)).join('.')
  return path ? `, at ${path}` : ''
}
