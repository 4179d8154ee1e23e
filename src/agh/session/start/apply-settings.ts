// Sets a mode, a model and other options of the agent, when a session starts and while it is live.

import type { SessionSettings } from '../../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { notActive } from '../../../core/agh/machine/decide.ts'
import { planSettings, readOffers, type SettingStep } from '../../../core/agh/session/agent-settings.ts'
import { nowIso } from '../../../lib/clock.ts'
import { writeMeta } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { note, perform, requireAllowed } from '../publish.ts'
import { repairSession } from '../repair-session.ts'
import { AgentStartError, attempt } from './attempt.ts'

/** At a start, an unavailable setting is a failure: otherwise nobody would notice that another model answers. */
export async function applySettings(context: AghContext, session: LiveSession, acpSessionId: string): Promise<void> {
  for (const step of planForStart(session)) {
    await attempt(context, session, 'request', () => choose(session, acpSessionId, step))
  }
}

/**
 * Takes effect immediately in a live session, and at its next start. For a stopped session only the latter; it cannot be
 * checked before then.
 */
export async function changeSettings(context: AghContext, sessionId: string, wanted: SessionSettings): Promise<void> {
  const meta = await repairSession(context, sessionId)
  const session = context.live.get(sessionId)
  if (session) return changeLive(context, session, wanted)
  if (meta.state !== 'stopped') throw notActive(sessionId, meta.state)
  const settings = joinSettings(meta.settings, wanted)
  writeMeta(context.paths, { ...meta, settings, updated_at: nowIso(context) }, { durable: true })
}

async function changeLive(context: AghContext, session: LiveSession, wanted: SessionSettings): Promise<void> {
  requireAllowed(session, { type: 'change_settings' })
  const steps = planSettings(session.state.offers, wanted)
  for (const step of steps) {
    try {
      await choose(session, session.meta.acp_session_id ?? '', step)
    } catch (error) {
      throw new AoError('AGENT_FAILED', `The agent refused ${step.method}: ${errorText(error)}`, { cause: error })
    }
  }
  await perform(context, session, {
    type: 'record',
    event: { type: 'system', content: { detail: 'settings', settings: wanted } },
    isDurable: true,
    meta: { settings: joinSettings(session.meta.settings, wanted) },
  })
}

function joinSettings(before: SessionSettings = {}, wanted: SessionSettings): SessionSettings {
  return { ...before, ...wanted, options: { ...before.options, ...wanted.options } }
}

function planForStart(session: LiveSession): SettingStep[] {
  try {
    return planSettings(session.state.offers, session.meta.settings ?? {})
  } catch (error) {
    const hint = error instanceof AoError && error.hint ? `. ${error.hint}` : ''
    throw new AgentStartError('protocol_failure', `${errorText(error)}${hint}`, error)
  }
}

async function choose(session: LiveSession, sessionId: string, step: SettingStep): Promise<void> {
  const { agent } = session.connection!
  if (step.method === 'session/set_mode') {
    await agent.request('session/set_mode', { sessionId, ...step.params })
    note(session, { type: 'offers_known', offers: { ...session.state.offers, current_mode: step.params.modeId } })
    return
  }
  const { configOptions } = await agent.request('session/set_config_option', { sessionId, ...step.params })
  const { options } = readOffers({ configOptions })
  note(session, { type: 'offers_known', offers: { ...session.state.offers, options } })
}
