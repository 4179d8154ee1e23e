// An agent in a place, as the manager reads it: the last reading that came home. What is asked of its records is asked there.
import type { RuntimeHandle } from '../../../contract/session.ts'
import { ACTIVITY_STATES } from '../../../contract/status.ts'
import { checkInfo } from '../../../core/place/check-far-values.ts'
import type { FarReading } from '../../../core/place/line/line-state.ts'
import { askHost } from '../../../host/client.ts'
import { readExit } from '../../../host/launches.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { ActivityReading, Agent, Seen } from '../../../slots/agent.ts'
import { readLineState, stateFile } from './line-files.ts'
import { type LaunchHandle, lineHandle, readHandle } from './place-handle.ts'
import { lineRuns } from './start-line.ts'

export function agentInPlace(handle: RuntimeHandle, agent: Agent): Agent {
  const launch = readHandle(handle)
  // One that is read from its screen is read at home.
  if (launch === null || agent.activitySource === 'screen') return agent
  const { stateDir, spawnId } = launch
  const reading = () => readLineState(stateDir, spawnId)?.reading ?? null
  // Nobody has heard of it since its line ended, unless the agent had ended before.
  const isCurrent = () => lineRuns(launch, readLineState(stateDir, spawnId)) || readExit(stateDir, spawnId) !== null
  return {
    ...agent,
    getActivityState: async () => (isCurrent() ? activityOf(reading()?.activity ?? null) : null),
    getSessionInfo: async () => checkInfo(reading()?.info ?? null),
    hasSeen: async (_session, text, since) => (agent.hasSeen ? hasSeen(launch, text, since) : null),
    watchPaths: async () => [stateFile(stateDir, spawnId)],
  }
}

const SEEN_TIMEOUT_MS = 1_900

/** null: the line is not there to say. */
async function hasSeen(handle: LaunchHandle, text: string, since: Date): Promise<Seen> {
  const { socket } = lineHandle(handle)
  if (socket === undefined) return null
  return askHost(socket, SEEN_TIMEOUT_MS, (client) => client.seen(text, since, systemClock.now())).catch(() => null)
}

function activityOf(activity: FarReading['activity']): ActivityReading | null {
  const state = ACTIVITY_STATES.find((one) => one === activity?.state)
  if (activity === null || state === undefined) return null
  const timestamp = activity.timestamp === undefined ? undefined : new Date(activity.timestamp)
  const evidence = typeof activity.evidence === 'string' ? activity.evidence.slice(0, 1_000) : undefined
  return { state, timestamp, evidence, asksInWords: activity.asksInWords === true || undefined }
}
