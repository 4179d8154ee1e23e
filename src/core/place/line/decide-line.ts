// What a line to a place does about what happens. Three rules carry everything: a number is noted when what it stands for
// is done, except that a command of the agent is noted before it is carried out, so it is never carried out twice; an end is
// recorded only after the work is home; and a place is never called gone because it does not answer.
import type { CheckedFact } from '../check-far-values.ts'
import type { Line, LineAct, LineEnd, LineEvent, LineMemory, LineStep, ProbedPlace } from './line-state.ts'

/** While the agent works, at most this much of it is only there. */
const SAVE_EVERY_MS = 30_000
const SAVE_AGAIN_MS = 3_000

const RETRY_MS = [200, 500, 1_000, 2_000, 5_000]
/** After about a minute nobody is watching the screen, and thousands of lines may be trying. */
const SLOW_AFTER = 16
const SLOW_MS = 15_000

export function retryDelay(failures: number): number {
  return failures > SLOW_AFTER ? SLOW_MS : RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]!
}

export function decideLine(line: Line, memory: LineMemory, event: LineEvent, now: number): LineStep {
  switch (event.type) {
    case 'started':
      return step({ ...line, phase: 'connecting' }, null, [{ act: 'connect' }])
    case 'connected':
      return step(
        { ...line, phase: 'following', failures: 0, isWorking: memory.reading?.activity?.state === 'active' },
        {
          connected: true,
          since: now,
          silentSince: null,
          why: '',
          orphaned: event.agent === 'orphaned',
          trouble: event.agent === 'ended' ? 'the agent has ended, and its work is not home yet' : null,
        },
        [{ act: 'follow', after: memory.read }, saveTimer()],
      )
    case 'not-connected':
      return step(
        { ...line, phase: 'probing', hasNoHost: event.hasNoHost },
        { connected: false, why: event.why, since: memory.connected ? now : memory.since },
        [{ act: 'probe' }],
      )
    case 'probed':
      if (line.phase === 'recording') return recordEnd(line, event.place)
      return line.phase === 'probing' ? afterProbe(line, event.place) : step(line)
    case 'host-started':
      return wait(line, event.why === null ? null : { why: event.why })
    case 'lost':
      return afterLoss(line, lossAt(memory, now, event.why))
    case 'silence':
      return line.phase === 'following' || line.phase === 'ending'
        ? step(line, { silentSince: event.since })
        : step(line)
    case 'end-recorded':
      return step({ ...line, phase: 'over' }, line.end?.n == null ? null : { read: line.end.n }, [{ act: 'leave' }])
    case 'timer':
      return afterTimer(line, event.timer)
    case 'saved':
      return afterSave(line, event, lossAt(memory, now, event.why ?? ''))
    default:
      return line.phase === 'following' ? follow(line, memory, event) : step(line)
  }
}

type Entry = Extract<LineEvent, { type: 'fact' | 'reading' | 'head' | 'output' | 'trouble' }>

function follow(line: Line, memory: LineMemory, event: Entry): LineStep {
  switch (event.type) {
    case 'fact':
      return event.fact.n <= memory.read ? step(line) : takeFact(line, event.fact)
    case 'reading': {
      const isWorking = event.reading.activity?.state === 'active'
      const wasWorking = memory.reading?.activity?.state === 'active'
      const taken = step({ ...line, isWorking }, { reading: event.reading })
      // The end of a turn.
      return wasWorking && !isWorking ? save(taken) : taken
    }
    case 'trouble':
      return step(line, { trouble: event.why })
    case 'head':
      return save(step(line))
    case 'output': {
      const heard = step({ ...line, isWorking: !event.endsTurn })
      return event.endsTurn ? save(heard) : heard
    }
  }
}

function takeFact(line: Line, fact: CheckedFact): LineStep {
  if (fact.type === 'exit') {
    const { type: _, ...end } = fact
    return save(step({ ...line, phase: 'ending', end }))
  }
  // What home did once is not done again when the line dies meanwhile; the agent sees that it was cut off.
  return step(line, { read: fact.n }, fact.type === 'ask' ? [{ act: 'answer', fact }] : [])
}

/** It was lost when it was last heard of, not when that was noticed. */
function lossAt({ silentSince }: LineMemory, now: number, why: string): Partial<LineMemory> {
  return { connected: false, since: silentSince ?? now, silentSince: null, why }
}

function afterSave(
  before: Line,
  { save: saved, why }: Extract<LineEvent, { type: 'saved' }>,
  loss: Partial<LineMemory>,
): LineStep {
  const line = { ...before, saved }
  if (line.phase === 'ending') {
    // An earlier one was under way when the agent ended, and may lack its last work.
    if (saved !== line.saves) return step(line)
    // The number is not noted, so the end is read again.
    if (why !== null) return afterLoss(line, loss)
    const isSaved: Line = { ...line, phase: 'recording' }
    // An agent that did not end by itself: the engine may know more, such as a time limit.
    const asksEngine = line.end?.exitCode !== 0 && line.end?.why === undefined
    return asksEngine ? step(isSaved, null, [{ act: 'probe' }]) : recordEnd(isSaved, null)
  }
  if (why === null || line.phase !== 'following') return step(line)
  // Nothing else would bring this work home before the next turn.
  return step(line, { mirror: why }, [{ act: 'timer', timer: 'save-again', ms: SAVE_AGAIN_MS }])
}

/** One that waits behind another has not begun, so it brings everything that there is now. */
function save({ line, keep, acts }: LineStep): LineStep {
  if (line.saves - line.saved > 1) return step(line, keep, acts)
  const saves = line.saves + 1
  return step({ ...line, saves }, keep, [...acts, { act: 'save', save: saves }])
}

function recordEnd(line: Line, place: ProbedPlace | null): LineStep {
  const ended = line.end!
  const engines = place?.state === 'gone' ? place.why : place?.state === 'up' ? place.ending : undefined
  const end: LineEnd = { ...ended, why: ended.why ?? engines }
  return step({ ...line, end }, null, [{ act: 'record-end', end }])
}

function afterProbe(line: Line, place: ProbedPlace): LineStep {
  if (place.state === 'gone') {
    const end: LineEnd = { n: null, exitCode: null, signal: null, screen: '', why: place.why }
    return step({ ...line, phase: 'recording', end }, null, [{ act: 'record-end', end }])
  }
  // Its host was killed: another one saves the work and says what became of the agent.
  if (place.state === 'up' && line.hasNoHost)
    return step({ ...line, phase: 'starting-host' }, null, [{ act: 'start-host' }])
  return wait(line, place.state === 'unknown' ? { why: place.why ?? '' } : null)
}

function afterTimer(line: Line, timer: Extract<LineEvent, { type: 'timer' }>['timer']): LineStep {
  if (timer === 'retry') {
    return line.phase === 'waiting' ? step({ ...line, phase: 'connecting' }, null, [{ act: 'connect' }]) : step(line)
  }
  if (line.phase !== 'following') return step(line)
  if (timer === 'save-again') return save(step(line))
  const again = step(line, null, [saveTimer()])
  return line.isWorking ? save(again) : again
}

function afterLoss(line: Line, keep: Partial<LineMemory>): LineStep {
  // With the work at home nothing more is needed of the place.
  if (line.phase !== 'following' && line.phase !== 'ending') return step(line)
  return step({ ...line, phase: 'waiting', failures: 0, isWorking: false, end: null }, keep, [
    { act: 'close' },
    { act: 'timer', timer: 'retry', ms: retryDelay(0) },
  ])
}

function wait(line: Line, keep: Partial<LineMemory> | null): LineStep {
  const failures = line.failures + 1
  const ms = retryDelay(failures)
  return step({ ...line, phase: 'waiting', failures, hasNoHost: false }, keep, [{ act: 'timer', timer: 'retry', ms }])
}

function saveTimer(): LineAct {
  return { act: 'timer', timer: 'save-regularly', ms: SAVE_EVERY_MS }
}

function step(line: Line, keep: LineStep['keep'] = null, acts: LineAct[] = []): LineStep {
  return { line, keep, acts }
}
