// What the screens of agents without records show, recorded for later readings (`.ao/activity.jsonl`).

import { errorText } from '../../contract/errors.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import type { ReachedSession } from '../../manager/context.ts'
import type { Agent } from '../../slots/agent.ts'
import type { Runtime } from '../../slots/runtime.ts'
import type { LoopContext } from '../loop/loop-context.ts'

const SCREEN_LINES = 40

export async function recordScreens(loop: LoopContext, sessions: readonly ReachedSession[]): Promise<void> {
  await noteScreens(loop, await screensOf(loop, sessions, ({ recordActivity }) => recordActivity !== undefined))
}

/** An empty screen could not be read, or its program has printed nothing yet: it is left out. */
export async function screensOf(
  loop: LoopContext,
  sessions: readonly ReachedSession[],
  isWanted: (agent: Agent) => boolean,
): Promise<ShownScreen[]> {
  const shown = sessions.flatMap((one) => withScreen(one) ?? []).filter(({ agent }) => isWanted(agent))
  const screens = await readScreens(loop, shown)
  return shown
    .map((one) => ({ ...one, screen: screens.get(keyOf(one.handle)) ?? '' }))
    .filter(({ screen }) => screen.trim() !== '')
}

export async function noteScreens(loop: LoopContext, shown: readonly ShownScreen[]): Promise<void> {
  const now = loop.context.clock.now()
  for (const { session, agent, screen } of shown) {
    try {
      await agent.recordActivity?.(session, screen, now)
    } catch (error) {
      loop.context.log.info(`the screen of ${session.id} was not noted: ${errorText(error)}`)
    }
  }
}

export interface ShownScreen extends Shown {
  screen: string
}

interface Shown {
  session: Session
  agent: Agent
  runtime: Runtime
  handle: RuntimeHandle
}

/** null: the session has ended, or it has no screen. */
function withScreen({ session, agent, runtime }: ReachedSession): Shown | null {
  const { runtimeHandle: handle, status, workspacePath } = session
  if (handle === null || workspacePath === null || isTerminalSession({ status, activity: null })) return null
  // A runtime that receives events shows no screen worth reading.
  if (!runtime || runtime.events || agent?.activitySource !== 'screen' || !agent.recordActivity) return null
  return { session, agent, runtime, handle }
}

async function readScreens(loop: LoopContext, shown: Shown[]): Promise<Map<string, string>> {
  const screens = new Map<string, string>()
  for (const [name, group] of Map.groupBy(shown, ({ handle }) => handle.runtimeName)) {
    try {
      const handles = group.map(({ handle }) => handle)
      const read = await readFrom(group[0]!.runtime, handles)
      for (const [id, screen] of read) screens.set(keyOf({ id, runtimeName: name }), screen)
    } catch (error) {
      loop.context.log.info(`the screens in ${name} were not read: ${errorText(error)}`)
    }
  }
  return screens
}

async function readFrom(runtime: Runtime, handles: RuntimeHandle[]): Promise<Map<string, string>> {
  if (runtime.getOutputs) return runtime.getOutputs(handles, SCREEN_LINES)
  const read = await Promise.all(
    handles.map(
      async (handle): Promise<[string, string]> => [handle.id, await runtime.getOutput(handle, SCREEN_LINES)],
    ),
  )
  return new Map(read)
}

function keyOf({ id, runtimeName }: RuntimeHandle): string {
  return `${runtimeName}:${id}`
}
