// From Claude's own process file and the newest event of the turn to one reading. Pure.
import type { ActivityReading } from '../../slots/agent.ts'
import { activityFromAge } from '../agent-files/age-activity.ts'
import type { TurnEvent } from '../agent-files/turn-event.ts'
import type { ProcessFile } from './process-file.ts'

export interface ActivityFacts {
  processFile: ProcessFile | null
  turn: TurnEvent | null
  /** What was said before this launch says nothing about it. */
  launchedAt: Date | null
  now: Date
  readyThresholdMs: number
}

export function decideActivity(facts: ActivityFacts): ActivityReading | null {
  const { processFile } = facts
  const file = processFile && isOfThisLaunch(processFile, facts.launchedAt) ? processFile : null
  const turn = facts.turn && isBefore(facts.turn.at, facts.launchedAt) ? null : facts.turn
  if (file?.liveness === 'dead') {
    return reading('exited', file.statusAt ?? turn?.at, `process ${file.pid} of Claude Code is gone`)
  }
  const live = file?.liveness === 'alive' ? fromLiveProcess(file, { ...facts, turn }) : null
  return live ?? fromTurn({ ...facts, turn })
}

function fromLiveProcess(file: ProcessFile, facts: ActivityFacts): ActivityReading | null {
  const { turn } = facts
  const said = `its state file says ${file.status}`
  // The file is written a moment after the event, so a newer event is the better witness.
  const newerTurn = turn && file.statusAt && turn.at > file.statusAt ? turn : null
  switch (file.status) {
    case 'waiting':
      return reading('waiting_input', file.statusAt, `${said} for ${file.waitingFor ?? 'the user'}`)
    case 'busy':
      if (newerTurn?.kind === 'waiting') return reading('waiting_input', newerTurn.at, newerTurn.evidence)
      return reading('active', latest(file.statusAt, turn?.at), said)
    case 'idle':
      if (turn?.kind === 'failed') return reading('blocked', turn.at, turn.evidence)
      if (newerTurn) return fromTurn(facts)
      return aged('finished', latest(file.statusAt, turn?.at) ?? facts.now, facts, said)
    default:
      return null
  }
}

function fromTurn(facts: ActivityFacts): ActivityReading | null {
  const { turn } = facts
  if (!turn) return null
  if (turn.kind === 'exited') return reading('exited', turn.at, turn.evidence)
  return aged(turn.kind, turn.at, facts, turn.evidence)
}

function aged(
  kind: Exclude<TurnEvent['kind'], 'exited'>,
  at: Date,
  facts: ActivityFacts,
  evidence: string,
): ActivityReading {
  return reading(activityFromAge({ kind, at, now: facts.now, readyThresholdMs: facts.readyThresholdMs }), at, evidence)
}

/** A file of an earlier launch may lie around after kill -9 while the new process is still starting. */
function isOfThisLaunch(file: ProcessFile, launchedAt: Date | null): boolean {
  if (file.liveness !== 'dead') return true
  const lastSign = latest(file.startedAt, file.statusAt)
  return lastSign !== undefined && !isBefore(lastSign, launchedAt)
}

function isBefore(at: Date, launchedAt: Date | null): boolean {
  return launchedAt !== null && at < launchedAt
}

function latest(a: Date | null | undefined, b: Date | null | undefined): Date | undefined {
  if (!a || !b) return a ?? b ?? undefined
  return a > b ? a : b
}

function reading(
  state: ActivityReading['state'],
  timestamp: Date | null | undefined,
  evidence: string,
): ActivityReading {
  return { state, ...(timestamp ? { timestamp } : {}), evidence }
}
