// Chooses a mode, a model and other options of the agent, at the start of a session and while it lives.
import type { SessionSettings } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { planSettings, readOffers, type SettingStep } from '../../core/agh/agent-settings.ts'
import { AgentStartError, attempt } from './attempt.ts'
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { saveMeta } from './save-meta.ts'

/** For a start: what cannot be had is a failure, as nobody would notice that another model answers. */
export async function applySettings(context: AghContext, session: LiveSession, acpSessionId: string): Promise<void> {
  for (const step of planForStart(session)) {
    await attempt(context, session, 'request', () => choose(session, acpSessionId, step))
  }
}

/** For a session that lives; kept for its next start. */
export async function changeSettings(
  context: AghContext,
  session: LiveSession,
  wanted: SessionSettings,
): Promise<void> {
  const steps = planSettings(session.offers, wanted)
  for (const step of steps) {
    try {
      await choose(session, session.meta.acp_session_id ?? '', step)
    } catch (error) {
      throw new AoError('AGENT_FAILED', `The agent refused ${step.method}: ${errorText(error)}`, { cause: error })
    }
  }
  const { settings = {} } = session.meta
  const options = { ...settings.options, ...wanted.options }
  session.store.appendDurable({
    turn_id: session.turn?.turn.id ?? null,
    type: 'system',
    content: { detail: 'settings', settings: wanted },
  })
  saveMeta(context, session, { settings: { ...settings, ...wanted, options } })
}

function planForStart(session: LiveSession): SettingStep[] {
  try {
    return planSettings(session.offers, session.meta.settings ?? {})
  } catch (error) {
    const hint = error instanceof AoError && error.hint ? `. ${error.hint}` : ''
    throw new AgentStartError('protocol_failure', `${errorText(error)}${hint}`, error)
  }
}

async function choose(session: LiveSession, sessionId: string, step: SettingStep): Promise<void> {
  const { agent } = session.connection!
  if (step.method === 'session/set_mode') {
    await agent.request('session/set_mode', { sessionId, ...step.params })
    session.offers = { ...session.offers, current_mode: step.params.modeId }
    return
  }
  const { configOptions } = await agent.request('session/set_config_option', { sessionId, ...step.params })
  session.offers = { ...session.offers, options: readOffers({ configOptions }).options }
}
