// One day: agents start one after the other, a person reads what is green, oldest first, and the base branch is watched by us.
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../src/rehearsal/random.ts'
import type { Day, Orchestrator, Shown, Strike } from './adapters/adapter.ts'
import { MINUTES } from './adapters/git.ts'
import { append, type LogEvent, readLog } from './log.ts'
import { markedMessage } from './message.ts'
import { tryGit } from './workload.ts'

const LOOK_MS = 100
const STATES_MS = 3_000
const PUBLISH_LIMIT_MS = 180_000

export interface Plan {
  /** The day is over when nothing has happened for this long. */
  quietSeconds: number
  /** And at the latest after this long, counted from the first review. */
  limitMinutes: number
  /** Nothing lands before everything was read once, so that two runs land the same work in the same order. */
  gathers: boolean
  /** Messages of ours, spread over the day. */
  messages: number
  strikes: readonly Strike[]
  random: Random
}

export async function playDay(day: Day, orchestrator: Orchestrator, plan: Plan): Promise<void> {
  const stop = new AbortController()
  const shown = new Map<string, string>()
  const watching = [watchBase(day, stop.signal)]
  try {
    await beginAll(day, orchestrator)
    watching.push(watchStates(day, orchestrator, shown, stop.signal))
    const why = await review(day, orchestrator, plan, shown)
    stop.abort()
    await Promise.all(watching)
    noteStates(day, shown, await orchestrator.states())
    append(day.workload.log, { what: 'end', why })
  } finally {
    stop.abort()
    await orchestrator.stop()
  }
}

async function beginAll(day: Day, orchestrator: Orchestrator, atOnce = 1): Promise<void> {
  await orchestrator.start()
  const left = [...day.workload.features]
  const work = async () => {
    for (let feature = left.shift(); feature !== undefined; feature = left.shift()) {
      await orchestrator.begin(feature)
      await published(day, feature.id)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const SETTLED_SECONDS = 20
/** Who began first is all the same here. */
const BEGUN_AT_ONCE = 8

/** What it costs to have this many sessions that wait for a person who does not come. */
export async function weighDay(day: Day, orchestrator: Orchestrator, seconds: number): Promise<void> {
  const { log, features } = day.workload
  try {
    await beginAll(day, orchestrator, BEGUN_AT_ONCE)
    while (!isQuiet(readLog(log), SETTLED_SECONDS) || !(await isAtRest(orchestrator))) await pause(STATES_MS)
    const before = orchestrator.weigh()
    const began = performance.now()
    await pause(seconds * 1000)
    const after = orchestrator.weigh()
    append(log, {
      what: 'weight',
      sessions: features.length,
      seconds: (performance.now() - began) / 1000,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds,
      rssMb: after.rssMb,
      requests: after.requests - before.requests,
    })
    append(log, { what: 'end', why: 'weighed' })
  } finally {
    await orchestrator.stop()
  }
}

/** A busy machine takes a while to see what all of them have done. */
async function isAtRest(orchestrator: Orchestrator): Promise<boolean> {
  const states = await orchestrator.states()
  return states.every(({ state }) => state === 'waiting' || state === 'person')
}

async function published(day: Day, feature: string): Promise<void> {
  const until = Date.now() + PUBLISH_LIMIT_MS
  const isThere = () => readLog(day.workload.log).some((one) => one.what === 'published' && one.feature === feature)
  while (!isThere()) {
    if (Date.now() > until) throw new Error(`${feature} was not published in ${PUBLISH_LIMIT_MS / 1000} s`)
    await pause(LOOK_MS)
  }
}

/** Approves, sends messages and strikes, until nothing happens. Says why it ends. */
async function review(
  day: Day,
  orchestrator: Orchestrator,
  plan: Plan,
  shown: ReadonlyMap<string, string>,
): Promise<string> {
  const { log, features } = day.workload
  const strikes = [...plan.strikes]
  let sent = 0
  let isHeld = plan.gathers
  if (isHeld) await orchestrator.hold?.(true)
  const until = Date.now() + plan.limitMinutes * 60_000
  for (;;) {
    for (const next of (await orchestrator.pulls()).filter(({ needsReview }) => needsReview)) {
      await pause(day.personSeconds * 1000)
      append(log, { what: 'person', act: 'approve', feature: next.feature, minutes: MINUTES.approve })
      await orchestrator.approve(next)
    }
    const events = readLog(log)
    if (isHeld && features.every(({ id }) => isApproved(events, id))) {
      await orchestrator.hold?.(false)
      isHeld = false
    }
    const open = features.filter(({ id }) => !/^(landed|ended) /.test(shown.get(id) ?? ''))
    if (sent < plan.messages && open.length > 0) {
      const feature = plan.random.pick(open).id
      sent += 1
      const inner = `Message ${sent}: nothing to do.\nA second line, “quoted”, with $(dollars) and ${'x'.repeat(sent * 7)}.`
      const accepted = await orchestrator.send(feature, markedMessage(sent, inner))
      append(log, { what: 'sent', feature, mark: sent, accepted })
    }
    if (
      strikes.length > 0 &&
      isDue(events, plan.strikes.length - strikes.length, features.length, plan.strikes.length)
    ) {
      const how = strikes.shift()!
      append(log, { what: 'struck', how })
      await orchestrator.strike(how)
    }
    const isOpen = strikes.length > 0 || (sent < plan.messages && open.length > 0)
    if (Date.now() > until) return 'time is up'
    const why = isOpen ? null : endOf(events, shown, plan, features.length)
    if (why !== null) return why
    await pause(LOOK_MS)
  }
}

function isApproved(events: readonly LogEvent[], feature: string): boolean {
  return events.some((one) => one.what === 'person' && one.act === 'approve' && one.feature === feature)
}

/** Strikes are counted in runs of the check, not in seconds: the same moment of the day on any machine. */
function isDue(events: readonly LogEvent[], done: number, features: number, strikes: number): boolean {
  const checks = events.filter((one) => one.what === 'check' && one.by === 'ci').length
  return checks >= features + Math.ceil(((done + 1) * features) / (strikes + 1)) || isQuiet(events, 20)
}

async function watchStates(
  day: Day,
  orchestrator: Orchestrator,
  shown: Map<string, string>,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    try {
      noteStates(day, shown, await orchestrator.states())
    } catch {
      // Just struck, it may have no answer; what it showed before stands until it shows something else.
    }
    await pause(STATES_MS)
  }
}

function noteStates(day: Day, shown: Map<string, string>, states: readonly Shown[]): void {
  for (const { feature, state, shows } of states) {
    if (shown.get(feature) === `${state} ${shows}`) continue
    shown.set(feature, `${state} ${shows}`)
    append(day.workload.log, { what: 'state', feature, state, shows })
  }
}

function endOf(
  events: readonly LogEvent[],
  shown: ReadonlyMap<string, string>,
  plan: Plan,
  features: number,
): string | null {
  const landed = [...shown.values()].filter((one) => one.startsWith('landed ')).length
  if (landed === features) return 'everything landed'
  return isQuiet(events, plan.quietSeconds) ? `nothing happened for ${plan.quietSeconds} s` : null
}

function isQuiet(events: readonly LogEvent[], seconds: number): boolean {
  return Date.now() - (events.at(-1)?.at ?? 0) > seconds * 1000
}

/** Nobody's word but the branch's own, ten times a second. */
export async function watchBase({ repo, workload }: Day, stop: AbortSignal): Promise<void> {
  let last = ''
  while (!stop.aborted) {
    const commit = tryGit(repo, 'rev-parse', 'main') ?? last
    if (commit !== last) append(workload.log, { what: 'base', commit })
    last = commit
    await pause(LOOK_MS)
  }
}
