// From the raw log to the figures. Pure: the same log gives the same figures, here and at anybody else's.
import type { EventBody, LogEvent, State } from './log.ts'

/** After this the report of something that is true is late. */
const LANDED_SHOWN_MS = 30_000
const STRANDED_SHOWN_MS = 120_000
/** A base branch is looked at ten times a second; a state may be ahead of that. */
const GRACE_MS = 1_000

export interface Figures {
  /** (A) land */
  changes: number
  landed: number
  landedTwice: number
  checks: number
  checksPerLanded: number | null
  personMinutesPerLanded: number | null
  rebases: number
  gaveUp: number
  redCommits: number
  redMinutes: number
  /** Neither green nor red: their check did not end. */
  unknownCommits: number
  landedPerHour: number
  approvedToLandedP50: number | null
  approvedToLandedP95: number | null
  /** (B) truth */
  falseStates: number
  lateStates: number
  strandedInSilence: number
  messagesSent: number
  messagesLost: number
  messagesDoubled: number
  messagesTorn: number
  /** (C) survive */
  strikes: number
  repairsByHand: number
  /** (D) weigh, one for each number of sessions */
  weights: Array<{ sessions: number; cpuSecondsPerHour: number; rssMb: number; requestsPerSessionHour: number }>
}

/** Wall time: these depend on the machine and its load. All others are counted. */
export const WALL: ReadonlySet<keyof Figures> = new Set([
  'redMinutes',
  'landedPerHour',
  'approvedToLandedP50',
  'approvedToLandedP95',
  'lateStates',
  'weights',
])

type Of<What extends EventBody['what']> = Extract<EventBody, { what: What }> & { at: number }

export function computeFigures(events: readonly LogEvent[]): Figures {
  const of = <What extends EventBody['what']>(what: What) => events.filter((one): one is Of<What> => one.what === what)
  const run = of('run')[0]
  if (run === undefined) throw new Error('The log does not begin with a run')
  const began = events[0]!.at
  const ended = of('end').at(-1)?.at ?? events.at(-1)!.at
  const landings = findLandings(of('base'), of('audit'), ended)
  const landed = landings.landedAt.size
  const perLanded = (sum: number) => (landed === 0 ? null : round(sum / landed))
  const checks = of('check').filter(({ by }) => by === 'ci').length
  const waits = waitsFor(of('person'), landings.landedAt)
  return {
    changes: run.features.length,
    landed,
    landedTwice: landings.twice,
    checks,
    checksPerLanded: perLanded(checks),
    personMinutesPerLanded: perLanded(of('person').reduce((sum, { minutes }) => sum + minutes, 0)),
    rebases: of('rebased').length,
    gaveUp: new Set(of('gave-up').map(({ feature }) => feature)).size,
    redCommits: landings.redCommits,
    redMinutes: round(landings.redMs / 60_000),
    unknownCommits: landings.unknownCommits,
    landedPerHour: round(landed / Math.max((ended - began) / 3_600_000, 1e-9)),
    approvedToLandedP50: quantile(waits, 0.5),
    approvedToLandedP95: quantile(waits, 0.95),
    ...judgeStates(run.features, of('state'), of('gave-up'), landings.landedAt, ended),
    ...judgeMessages(of('sent'), of('received'), of('base')),
    strikes: of('struck').length,
    repairsByHand: of('person').filter(({ act }) => act === 'repair').length,
    weights: of('weight').map(({ sessions, seconds, cpuSeconds, rssMb, requests }) => ({
      sessions,
      cpuSecondsPerHour: round((cpuSeconds / seconds) * 3600),
      rssMb: round(rssMb),
      requestsPerSessionHour: round(sessions === 0 ? 0 : (requests / seconds / sessions) * 3600),
    })),
  }
}

interface Landings {
  landedAt: Map<string, number>
  twice: number
  redCommits: number
  redMs: number
  unknownCommits: number
}

/** A commit that was never seen as the tip was there when the next one was seen. */
function findLandings(seen: ReadonlyArray<Of<'base'>>, audit: ReadonlyArray<Of<'audit'>>, ended: number): Landings {
  const seenAt = new Map<string, number>()
  for (const { commit, at } of seen) if (!seenAt.has(commit)) seenAt.set(commit, at)
  const found: Landings = { landedAt: new Map(), twice: 0, redCommits: 0, redMs: 0, unknownCommits: 0 }
  let until = ended
  for (const { commit, code, landed } of [...audit].reverse()) {
    const at = seenAt.get(commit) ?? until
    if (code === null) found.unknownCommits += 1
    else if (code !== 0) {
      found.redCommits += 1
      found.redMs += until - at
    }
    for (const feature of landed) {
      if (found.landedAt.has(feature)) found.twice += 1
      found.landedAt.set(feature, at)
    }
    until = at
  }
  return found
}

/** Seconds from the first approval of a change to its landing. */
function waitsFor(acts: ReadonlyArray<Of<'person'>>, landedAt: ReadonlyMap<string, number>): number[] {
  return [...landedAt].flatMap(([feature, at]) => {
    const approved = acts.find((one) => one.act === 'approve' && one.feature === feature)
    return approved === undefined ? [] : [Math.max(0, at - approved.at) / 1000]
  })
}

function judgeStates(
  features: readonly string[],
  states: ReadonlyArray<Of<'state'>>,
  gaveUp: ReadonlyArray<Of<'gave-up'>>,
  landedAt: ReadonlyMap<string, number>,
  ended: number,
): Pick<Figures, 'falseStates' | 'lateStates' | 'strandedInSilence'> {
  const judged = { falseStates: 0, lateStates: 0, strandedInSilence: 0 }
  if (states.length === 0) return judged
  for (const feature of features) {
    const own = states.filter((one) => one.feature === feature)
    const landed = landedAt.get(feature)
    const isShown = (state: State, from: number, within: number) =>
      own.some((one, index) => {
        const until = own[index + 1]?.at ?? ended
        return one.state === state && one.at <= from + within && until >= from
      })
    judged.falseStates += own.filter((one) => one.state === 'landed' && !(landed! <= one.at + GRACE_MS)).length
    if (landed !== undefined) {
      if (!isShown('landed', landed, LANDED_SHOWN_MS) && landed + LANDED_SHOWN_MS <= ended) judged.lateStates += 1
      continue
    }
    const lastTry = gaveUp.findLast((one) => one.feature === feature)?.at
    if (lastTry !== undefined && lastTry + STRANDED_SHOWN_MS <= ended && !isShown('person', lastTry, STRANDED_SHOWN_MS))
      judged.lateStates += 1
    if (own.at(-1)?.state !== 'person') judged.strandedInSilence += 1
  }
  return judged
}

function judgeMessages(
  sent: ReadonlyArray<Of<'sent'>>,
  received: ReadonlyArray<Of<'received'>>,
  bases: ReadonlyArray<Of<'base'>>,
): Pick<Figures, 'messagesSent' | 'messagesLost' | 'messagesDoubled' | 'messagesTorn'> {
  const accepted = sent.filter((one) => one.accepted)
  const arrived = (feature: string, mark: number) =>
    received.flatMap((one) => (one.feature === feature ? one.marks : [])).filter((one) => one === mark).length
  const counts = accepted.map(({ feature, mark }) => arrived(feature, mark))
  // The orchestrator's own messages: the same text again although nothing has landed in between, or twice in one message.
  const own = received.filter(({ marks }) => marks.length === 0)
  const moves = (until: number) => bases.filter(({ at }) => at <= until).length
  const again = own.length - new Set(own.map(({ feature, sha, at }) => `${feature} ${sha} ${moves(at)}`)).size
  const repeats = own.reduce((sum, one) => sum + one.repeats, 0)
  return {
    messagesSent: accepted.length,
    messagesLost: counts.filter((count) => count === 0).length,
    messagesDoubled: counts.filter((count) => count > 1).length + again + repeats,
    messagesTorn: received.reduce((sum, { torn }) => sum + torn, 0),
  }
}

/** The smallest value that so large a share does not exceed. */
export function quantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  return round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
