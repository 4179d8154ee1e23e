// From what the loop put down to lines of a cassette: the first one is complete, each further one holds only what changed.
import { createHash } from 'node:crypto'
import type { ProjectConfig } from '../../contract/config.ts'
import type { ReactionDecision } from '../../contract/reactions.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { gateName } from '../../core/landing/gate-name.ts'
import type { CassetteLine, RecordedDecision } from '../../core/recording/cassette.ts'
import { CASSETTE_VERSION } from '../../core/recording/cassette.ts'
import { AO_VERSION } from '../../lib/version.ts'
import type { LoopContext, Seen } from '../loop/loop-context.ts'
import { createMask, type Mask } from './mask.ts'
import { type MaskedFacts, maskFacts, maskRecord } from './mask-facts.ts'

export interface Encoder {
  /** As text, each with the check of all before it. */
  encode(seen: Seen): string[]
}

type Settings = Pick<LoopContext, 'rules' | 'ledgers'> & { context: Pick<LoopContext['context'], 'config'> }
type Pairs = Readonly<Record<string, string>>

/** What the lines so far say of a session. */
interface Encoded {
  /** Its facts as text, which is nearly always the same as the round before; null: it was not observed yet. */
  text: string | null
  /** false: its next line has its memory as a whole. */
  hasMemory: boolean
  record: Pairs
  /** That `record` was made of. */
  pairs: Pairs
}
type RoundLine = Extract<CassetteLine, { k: 'round' }>

/** One start of a loop, on one day. */
export function createEncoder(loop: Settings, project: ProjectConfig, mask: Mask = createMask()): Encoder {
  const unheard = new Set((project.gates ?? []).flatMap(({ name, reviewed }) => (reviewed ? [gateName(name)] : [])))
  const facts = new Map<string, Encoded>()
  const statuses = new Map<string, SessionStatus>()
  /** Pairs that the round before wrote: what they are now is said in any case, since others may have written them back. */
  const written = new Map<string, string[]>()
  let observedLast = ''
  let last = 0
  let check: string | null = null

  const write = (line: CassetteLine): string => {
    const text = JSON.stringify(line)
    check = checkOf(check ?? '', text)
    return `${text.slice(0, -1)},"c":"${check}"}\n`
  }

  /** Pairs that changed since its last line, and its record as it is from now on. */
  const recordNow = (id: string, pairs: Pairs) => {
    const before = facts.get(id)
    const record = before?.pairs === pairs ? before.record : maskRecord(pairs, mask)
    const names = written.get(id)
    const last = names
      ? { ...before?.record, ...Object.fromEntries(names.map((name) => [name, UNSAID])) }
      : before?.record
    return { record, pairs, changed: last === record ? {} : pairsChanged(last ?? {}, record) }
  }

  const encodeRound = ({ all, observations, options, settled, radar }: Extract<Seen, { kind: 'round' }>) => {
    const line: RoundLine = { k: 'round', t: last, s: {} }
    if (options.only) line.only = [...options.only]
    const observed = observations.map((one) => one.observed.session.id).sort()
    const ids = observed.join(' ')
    if (options.only || ids !== observedLast) line.o = observed
    if (!options.only) observedLast = ids
    for (const one of observations) {
      const { id, metadata } = one.observed.session
      const found = maskFacts(one, { mask, radar, isUnheard: (name) => unheard.has(name) })
      const text = JSON.stringify(found)
      const before = facts.get(id)
      const { record, pairs, changed } = recordNow(id, metadata)
      // Otherwise it is what the lines before amount to; confirmed after a restart, it is from what the agent itself has.
      const isNews = !before?.hasMemory || !isSame(one.memory, one.stored)
      const hasPairs = Object.keys(changed).length > 0
      if (text !== before?.text || isNews || hasPairs)
        line.s[id] = {
          ...(text !== before?.text && factsChanged(before?.text ?? null, found)),
          ...(isNews && { memory: mask.memory(one.memory) }),
          ...(hasPairs && { record: changed }),
        }
      facts.set(id, { text, hasMemory: true, record, pairs })
    }
    const byId = new Map(all.map((one) => [one.id, one]))
    const wasObserved = new Set(observed)
    const others = options.only ? [] : all.filter(({ id }) => !wasObserved.has(id))
    for (const { id, metadata } of others) {
      const before = facts.get(id)
      const { record, pairs, changed } = recordNow(id, metadata)
      if (Object.keys(changed).length > 0 || !before) line.s[id] = { record: changed }
      facts.set(id, { ...(before ?? { text: null, hasMemory: false }), record, pairs })
    }
    if (!options.only) {
      const gone = [...facts.keys()].filter((id) => !byId.has(id))
      for (const id of gone) facts.delete(id)
      if (gone.length > 0) line.gone = gone
    }
    written.clear()
    for (const { session } of settled) {
      const { metadata = {} } = byId.get(session.id) ?? {}
      if (metadata === session.metadata) continue
      const names = Object.keys({ ...metadata, ...session.metadata }).filter(
        (name) => metadata[name] !== session.metadata[name],
      )
      if (names.length > 0) written.set(session.id, names)
    }
    const done = new Set(settled.map(({ session }) => session.id))
    const failed = observed.filter((id) => !done.has(id))
    if (failed.length > 0) line.f = failed
    // How far it came is in its memory, which is complete in its next line.
    for (const id of failed) facts.set(id, { ...facts.get(id)!, hasMemory: false })
    const decided = settled.filter(({ decisions }) => decisions.length > 0)
    if (decided.length > 0)
      line.d = Object.fromEntries(decided.map(({ session, decisions }) => [session.id, describe(decisions, mask)]))
    const news = settled.filter(({ session }) => statuses.get(session.id) !== session.status)
    for (const { session } of news) statuses.set(session.id, session.status)
    if (news.length > 0) line.st = Object.fromEntries(news.map(({ session }) => [session.id, session.status]))
    return line
  }

  const encodeOne = (seen: Seen): CassetteLine => {
    switch (seen.kind) {
      case 'round':
        // A clock that is set back: the lines of a day stay in order.
        last = Math.max(last, seen.now)
        return encodeRound(seen)
      case 'acted':
        return {
          k: 'acted',
          t: last,
          s: seen.session,
          o: seen.outcomes.map(({ key, succeeded, at }) => [mask.key(key), succeeded, at]),
        }
      case 'notice':
        return { k: 'notice', t: last, type: seen.type, about: mask(seen.about) }
      case 'train': {
        const { event } = seen
        const pull = 'pull' in event ? event.pull : null
        const others = event.type === 'left' ? (event.partners ?? event.ahead ?? []) : []
        return {
          ...{ k: 'train', t: last, type: event.type, pull },
          ...('headSha' in event && { head: mask(event.headSha) }),
          ...(event.type === 'left' && { why: event.why }),
          ...(others.length > 0 && { others }),
        }
      }
      case 'backlog':
        return { k: 'backlog', t: last, free: seen.free.length, room: seen.room }
    }
  }

  return {
    encode(seen) {
      // Nothing can be replayed before the first round.
      if (check === null && seen.kind !== 'round') return []
      const begins = check === null && seen.kind === 'round' ? [write(startLine(loop, project, seen.now))] : []
      return [...begins, write(encodeOne(seen))]
    },
  }
}

/** Of a line, after those before it. */
export function checkOf(before: string, text: string): string {
  return createHash('sha256').update(before).update(text).digest('hex').slice(0, 16)
}

function startLine(loop: Settings, project: ProjectConfig, t: number): CassetteLine {
  const zone = -new Date(t).getTimezoneOffset()
  const { id } = project
  const ledger = loop.ledgers.get(id) ?? null
  const settings = settingsHash(loop, project)
  return { k: 'start', v: CASSETTE_VERSION, ao: AO_VERSION ?? '', project: id, t, zone, settings, ledger }
}

/** Of what decides: two days with the same one were decided by the same rules. */
export function settingsHash(
  { rules, context: { config } }: Omit<Settings, 'ledgers'>,
  project: ProjectConfig,
): string {
  const { budget, landing, backlog, gates } = project
  const names = (gates ?? []).map(({ name, reviewed }) => [name, reviewed !== undefined])
  const parts = [rules.get(project.id), config.budget, budget, landing, backlog, names, config.readyThresholdMs]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

export function describe(decisions: readonly ReactionDecision[], mask: Pick<Mask, 'key'>): RecordedDecision[] {
  return decisions.map((one) => [
    mask.key(one.condition.memory),
    one.kind === 'escalate' ? 'escalate' : one.action,
    one.kind === 'escalate' ? 0 : one.attempt,
  ])
}

/** No pair has this value: what the round before wrote is said again, whatever it is, and one that is gone is said to be. */
const UNSAID = '\n'

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function factsChanged(before: string | null, after: MaskedFacts): Partial<MaskedFacts> {
  const last: Partial<Record<string, unknown>> = before === null ? {} : JSON.parse(before)
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => last[name] === undefined || !isSame(last[name], value)),
  )
}

function pairsChanged(before: Pairs, after: Pairs): Record<string, string | null> {
  const changed: Record<string, string | null> = {}
  for (const [name, value] of Object.entries(after)) if (before[name] !== value) changed[name] = value
  for (const name of Object.keys(before)) if (after[name] === undefined) changed[name] = null
  return changed
}
