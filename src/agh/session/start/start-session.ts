// The steps shared by new and resumed sessions: metadata and event log first, then the agent, then `active`.

import type { PrefaceKind, SessionMeta } from '../../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { buildPreface, type PrefacePart, prefaceAfterStart } from '../../../core/agh/session/preface.ts'
import { buildTranscript, recapText } from '../../../core/agh/transcript/transcript.ts'
import { nowIso } from '../../../lib/clock.ts'
import { failpoint } from '../../../lib/failpoint.ts'
import { ignoreFailure } from '../../../lib/ignore-failure.ts'
import { makeSessionDirectory, removeUnborn, writeMeta } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import { keepDigest } from '../driver/keep-digest.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession } from '../live-session.ts'
import { perform, saveMeta } from '../publish.ts'
import { readEvents } from '../read-log.ts'
import { sweepAttached } from '../turn/attached-files.ts'
import { reportUndelivered } from '../turn/report-undelivered.ts'
import { wireHandlers } from '../turn/running-turn.ts'
import { AgentStartError } from './attempt.ts'
import { type OpenRequest, openSession } from './open-session.ts'
import { runHooks } from './run-hooks.ts'
import { type Conversation, deleteThere, startAgent } from './start-agent.ts'
import { limitLifetime, watchAgent } from './watch-agent.ts'

export interface StartRequest extends OpenRequest {
  conversation: Conversation
}

/** Resolves when the session is active; otherwise it ends `stopped`. */
export function startSession(context: AghContext, request: StartRequest): Promise<LiveSession> {
  const { meta } = request
  if (context.closing) throw new AoError('DAEMON_NOT_RUNNING', 'The daemon is about to end')
  if (meta.process?.host_directory === undefined) context.hosts.prepare()
  makeSessionDirectory(context.paths, meta.id)
  const starting = start(context, request).finally(() => context.starting.delete(meta.id))
  context.starting.set(meta.id, starting)
  return starting
}

async function start(context: AghContext, request: StartRequest): Promise<LiveSession> {
  const { meta, conversation } = request
  writeFirst(context, meta)
  failpoint('agh-starting')
  const session = await openSession(context, request)
  keepDigest(context, session)
  context.live.set(meta.id, session)
  try {
    await reportUndelivered(context, session)
    await sweepAttached(context, session)
    const denied = await runHooks(context, session, isNew(conversation) ? 'session.pre_create' : 'session.pre_resume')
    if (denied !== null) throw new AgentStartError('permission_failure', denied, undefined)
    const handlers = wireHandlers(context, session)
    if (typeof conversation === 'object' && 'deletes' in conversation) {
      await deleteThere(context, session, handlers, conversation.deletes)
      return await endDeleted(context, session)
    }
    const { acpSessionId, method, ...mcp } = await startAgent(context, session, handlers, conversation)
    const preface = prefaceAfterStart({
      method,
      before: meta.preface ?? [],
      takesSystemPrompt: session.state.abilities.systemPrompt,
    })
    const facts = { started_with: method, acp_session_id: acpSessionId }
    await perform(context, session, {
      type: 'activate',
      event: { type: 'session_started', content: { ...facts, ...mcp } },
      preface: await prefaceOf(context, session, preface),
      meta: { ...facts, preface, agent_can: session.state.abilities.conversations, conversation: undefined },
    })
  } catch (error) {
    throw await failStart(context, session, error)
  }
  failpoint('agh-active')
  watchAgent(context, session)
  limitLifetime(context, session)
  await runStartedHooks(context, session)
  return session
}

function isNew(conversation: Conversation): boolean {
  return conversation === 'new' || (typeof conversation === 'object' && 'forks' in conversation)
}

/** Its agent has no more to do. */
async function endDeleted(context: AghContext, session: LiveSession): Promise<LiveSession> {
  failpoint('agh-conversation-deleted')
  saveMeta(context, session, { acp_session_id: null, conversation: 'deleted' })
  await finishSession(context, session, { kind: 'user', detail: 'its agent has deleted the conversation' })
  return session
}

/** Its agent is already running, so a denial ends the session like any other end. */
async function runStartedHooks(context: AghContext, session: LiveSession): Promise<void> {
  const denied = await runHooks(context, session, 'session.started')
  if (denied === null) return
  throw notStarted(await finishSession(context, session, { kind: 'hook_denied', detail: denied }), denied, undefined)
}

/** A session whose metadata could not even be written leaves nothing behind. */
function writeFirst(context: AghContext, meta: SessionMeta): void {
  try {
    writeMeta(context.paths, meta, { durable: true })
  } catch (error) {
    removeUnborn(context.paths, meta.id)
    throw error
  }
}

async function failStart(context: AghContext, session: LiveSession, error: unknown): Promise<AoError> {
  const detail = errorText(error)
  const kind = error instanceof AgentStartError ? error.kind : 'startup_failure'
  const meta = await finishSession(context, session, { kind: 'start_failed', failure: kind, detail })
  return notStarted(meta, detail, error)
}

function notStarted(meta: SessionMeta, detail: string, cause: unknown): AoError {
  return new AoError('AGENT_FAILED', `Session ${meta.id} could not be started: ${meta.failure?.summary ?? detail}`, {
    hint:
      meta.failure?.kind === 'load_session_failure'
        ? `Begin a new conversation with a recap of this one: agh session resume ${meta.id} --fresh`
        : `See its state with: agh session status ${meta.id}`,
    details: { sessionId: meta.id, failure: meta.failure },
    cause,
  })
}

const MAX_RECAP = 32 * 1024
const RECAP_EVENTS = 5_000

async function prefaceOf(
  context: AghContext,
  session: LiveSession,
  kinds: readonly PrefaceKind[],
): Promise<PrefacePart[]> {
  const own = () => recapText(buildTranscript(session.store.readLast(RECAP_EVENTS)), MAX_RECAP)
  const recap = kinds.includes('recap') ? [await recapOfParent(context, session.meta), own()] : []
  const fork = session.farWorkspace ?? session.meta.workspace_path
  return buildPreface(kinds, { instructions: session.instructions, recap: recap.join('\n').trim(), fork })
}

/** What a fork knew from the beginning is in the log of the other session, up to where it was forked. */
async function recapOfParent(context: AghContext, { forked_from }: SessionMeta): Promise<string> {
  if (!forked_from) return ''
  const { session_id, last_sequence } = forked_from
  let text = ''
  await ignoreFailure(`the recap lacks what ${session_id} knew`, context.log, async () => {
    const rows = await readEvents(context, session_id, Math.max(0, last_sequence - RECAP_EVENTS), RECAP_EVENTS)
    text = recapText(buildTranscript(rows.filter(({ sequence }) => sequence <= last_sequence)), MAX_RECAP)
  })
  return text
}

interface Launch {
  command: readonly string[]
  spawnId: string
  /** It runs elsewhere already. */
  hostDirectory?: string | undefined
}

export function freshProcess(
  context: AghContext,
  { command, spawnId, hostDirectory }: Launch,
): NonNullable<SessionMeta['process']> {
  const elsewhere = hostDirectory === undefined ? {} : { host_directory: hostDirectory }
  return { identity: null, spawn_id: spawnId, command: [...command], started_at: nowIso(context), ...elsewhere }
}
