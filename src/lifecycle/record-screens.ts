// What the screens of agents without records show, noted for later readings (`.ao/activity.jsonl`).
import { errorText } from '../contract/errors.ts'
import type { Session } from '../contract/session.ts'
import { isTerminalSession } from '../contract/status.ts'
import type { Agent } from '../slots/agent.ts'
import type { LoopContext } from './loop-context.ts'

const SCREEN_LINES = 40

export async function recordScreens(loop: LoopContext, sessions: Session[]): Promise<void> {
  await Promise.all(
    sessions.map(async (session) => {
      try {
        await recordScreen(loop, session)
      } catch (error) {
        loop.manager.log.info(`the screen of ${session.id} was not noted: ${errorText(error)}`)
      }
    }),
  )
}

async function recordScreen(loop: LoopContext, session: Session): Promise<void> {
  const { runtimeHandle, status, workspacePath } = session
  if (runtimeHandle === null || workspacePath === null || isTerminalSession({ status, activity: null })) return
  const agent = await agentOf(loop, session)
  if (agent?.activitySource !== 'screen' || !agent.recordActivity) return
  const { registry, clock } = loop.manager
  await registry.ensure('runtime', runtimeHandle.runtimeName)
  const screen = await registry.require('runtime', runtimeHandle.runtimeName).getOutput(runtimeHandle, SCREEN_LINES)
  // An empty screen is one that could not be read, or of a program that has said nothing yet.
  if (screen.trim() !== '') await agent.recordActivity(session, screen, clock.now())
}

async function agentOf(loop: LoopContext, session: Session): Promise<Agent | null> {
  const name = session.metadata.agent
  if (name === undefined) return null
  await loop.manager.registry.ensure('agent', name)
  return loop.manager.registry.get('agent', name)
}
