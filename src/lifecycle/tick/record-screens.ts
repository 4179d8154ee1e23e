// What the screens of agents without records show, recorded for later readings (`.ao/activity.jsonl`).

import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import type { Agent } from '../../slots/agent.ts'
import type { Runtime } from '../../slots/runtime.ts'
import type { LoopContext } from '../loop/loop-context.ts'

const SCREEN_LINES = 40

export async function recordScreens(loop: LoopContext, sessions: Session[]): Promise<void> {
  await noteScreens(loop, await screensOf(loop, sessions, ({ recordActivity }) => recordActivity !== undefined))
}

/** An empty screen could not be read, or its program has printed nothing yet: it is left out. */
export async function screensOf(
  loop: LoopContext,
  sessions: Session[],
  isWanted: (agent: Agent) => boolean,
): Promise<ShownScreen[]> {
  const all = await Promise.all(sessions.map((session) => withScreen(loop, session)))
  const shown = all.filter((one) => one !== null).filter(({ agent }) => isWanted(agent))
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
  handle: RuntimeHandle
}

/** null: the session has ended, or it has no screen. */
async function withScreen(loop: LoopContext, session: Session): Promise<Shown | null> {
  const { runtimeHandle, status, workspacePath } = session
  if (runtimeHandle === null || workspacePath === null || isTerminalSession({ status, activity: null })) return null
  try {
    const agent = await agentOf(loop, session)
    // A runtime that receives events shows no screen worth reading.
    if ((await loop.context.registry.find('runtime', runtimeHandle.runtimeName))?.events) return null
    if (agent?.activitySource !== 'screen' || !agent.recordActivity) return null
    return { session, agent, handle: runtimeHandle }
  } catch (error) {
    loop.context.log.debug(`the screen of ${session.id} was not read: ${errorText(error)}`)
    return null
  }
}

async function readScreens(loop: LoopContext, shown: Shown[]): Promise<Map<string, string>> {
  const screens = new Map<string, string>()
  const { registry, log } = loop.context
  for (const [name, group] of Map.groupBy(shown, ({ handle }) => handle.runtimeName)) {
    try {
      const runtime = await registry.load('runtime', name)
      const handles = group.map(({ handle }) => handle)
      for (const [id, screen] of await readFrom(runtime, handles)) screens.set(keyOf({ id, runtimeName: name }), screen)
    } catch (error) {
      log.info(`the screens in ${name} were not read: ${errorText(error)}`)
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

async function agentOf(loop: LoopContext, session: Session): Promise<Agent | null> {
  const name = recordOf(session).agent
  if (name === undefined) return null
  return loop.context.registry.find('agent', name)
}
