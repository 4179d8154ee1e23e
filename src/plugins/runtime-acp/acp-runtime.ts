// The runtime slot over agh: an agent is an agh session, its screen is the conversation.
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { historyFile, readMeta } from '../../agh/store/meta-file.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { lacksConversation } from '../../core/agh/session/conversations.ts'
import { renderMessages } from '../../core/agh/transcript/render-transcript.ts'
import { emptyTranscript, foldEvent } from '../../core/agh/transcript/transcript.ts'
import { neutralisePaste } from '../../core/text/paste-text.ts'
import { ownProgram } from '../../lib/process/own-program.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type AttachInfo, isKnownAlive, type Liveness, type Runtime, type SendOptions } from '../../slots/runtime.ts'
import { DRIVER, RUNTIME_NAME, readHandle, requireHandle, requireOwnSession } from './acp-handle.ts'
import { findAcpSession, namesOnDisk, startAcpSession } from './create-session.ts'
import { createLink, type DaemonLink, daemonIsGone, isNotRunning } from './daemon-link.ts'
import { destroySession } from './destroy-session.ts'
import { judgeLife, observeOne, observeSessions, watchEnds } from './observe-sessions.ts'
import { readRecent } from './read-transcript.ts'
import { createSessionEvents } from './session-events.ts'

export interface AcpOptions {
  /** How long an agent may take to end on its own; by default agh's setting. */
  graceMs?: number | undefined
}

/** Escaped as JSON it is still below the daemon's limit. */
const MAX_MESSAGE_BYTES = 1024 * 1024

export function createAcpRuntime({ graceMs }: AcpOptions, context: PluginContext): Runtime {
  const link = createLink(context)
  return {
    name: RUNTIME_NAME,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    drivesAcpAgents: true,
    events: createSessionEvents(link),
    eventLog: { spareBytes: (handle) => spareBytes(link, handle), trim: (handle) => trim(link, handle) },
    create: (launch) => startAcpSession(link, launch),
    destroy: (handle, { force = false, onLeftRunning } = {}) =>
      destroySession(link, requireHandle(handle, link.paths.home), { force, graceMs, onLeftRunning }),
    sendMessage: (handle, text, options = {}) => send(link, handle, text, options),
    getOutput: (handle, lines) => readOutput(link, handle, lines),
    async isAlive(handle) {
      const target = requireHandle(handle, link.paths.home)
      return isKnownAlive(handle, judgeLife(target, await observeOne(link, target)))
    },
    probe: (handles) => probe(link, handles),
    find: (launch) => findAcpSession(link, launch),
    canResume: async (handle) => knownTo(link, handle)?.acp_session_id != null,
    canFork: async (handle) => canFork(knownTo(link, handle), handle),
    watch: (onChange) => watchEnds(link, onChange),
    getAttachInfo: async (handle) => attachInfo(link, handle),
    listNames: () => listNames(link),
  }
}

async function probe(link: DaemonLink, handles: RuntimeHandle[]): Promise<Map<string, Liveness>> {
  const target = handles.map((handle) => ({ id: handle.id, own: readHandle(handle) }))
  const observed = await observeSessions(
    link,
    target.flatMap(({ own }) => own ?? []),
  )
  return new Map(
    target.map(({ id, own }): [string, Liveness] => {
      if (!own) return [id, { state: 'unknown', why: 'the handle does not belong to the acp runtime' }]
      return [id, judgeLife(own, observed.get(id)!)]
    }),
  )
}

async function send(link: DaemonLink, handle: RuntimeHandle, text: string, options: SendOptions): Promise<void> {
  const target = requireHandle(handle, link.paths.home)
  const { session, name } = target
  const message = neutralisePaste(text)
  if (message === '') throw new AoError('USAGE', 'The message is empty')
  const life = judgeLife(target, await observeOne(link, target))
  if (life.state === 'dead') throw notSent(name, life.why)
  const body = {
    message,
    message_id: options.messageId ?? randomUUID(),
    interrupt: options.interrupt || undefined,
    files: options.files?.map(({ name, path, bytes }) => ({ name, path, data: Buffer.from(bytes).toString('base64') })),
  }
  const sent = await link
    .call('POST /api/driver/sessions/:id/messages', { params: { id: session }, body })
    .catch((error) => {
      throw notSent(name, errorText(error), error)
    })
  if (sent.state === 'withdrawn')
    throw new AoError('MESSAGE_WITHDRAWN', `The message to ${name} was withdrawn while it waited`)
  if (sent.state === 'lost') throw notSent(name, 'its turn ended before the agent was sent it')
  if (sent.linked)
    options.onNote?.(`its agent takes no such content and has a link to the file: ${sent.linked.join(', ')}`)
}

function notSent(name: string, why: string, cause?: unknown): AoError {
  return new AoError('RUNTIME_FAILED', `The message did not reach ${name}: ${why}`, { cause })
}

/** Enough events for the last lines of a conversation that streams in small pieces. */
const RECENT_EVENTS = 2_000

async function readOutput(link: DaemonLink, handle: RuntimeHandle, lines = 200): Promise<string> {
  try {
    const transcript = emptyTranscript()
    for (const event of await readRecent(link, requireOwnSession(handle, link.paths), RECENT_EVENTS)) {
      foldEvent(transcript, event)
    }
    const conversation = transcript.messages.filter(({ role }) => role !== 'notice')
    return renderMessages(conversation).slice(-lines).join('\n')
  } catch {
    // Nothing to show, as with a screen that is gone.
    return ''
  }
}

/** Of its own session only, as below. */
async function spareBytes(link: DaemonLink, handle: RuntimeHandle): Promise<number> {
  const meta = knownTo(link, handle)
  if (meta?.driver?.key !== handle.id || meta.state !== 'stopped') return 0
  const { canTrim, KEPT_LOG_BYTES } = await import('../../agh/store/trim-log.ts')
  const path = historyFile(link.paths, meta.id)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // A small log has pages for its tables that no trim frees; a large one may be large because of its last event or its hooks.
  return size > 4 * KEPT_LOG_BYTES && (await canTrim(path)) ? size - KEPT_LOG_BYTES : 0
}

async function trim(link: DaemonLink, handle: RuntimeHandle): Promise<number> {
  const id = requireOwnSession(handle, link.paths)
  await link.ensure()
  return (await link.call('POST /api/driver/sessions/:id/trim', { params: { id } })).trim.dropped_bytes
}

/** Of its own session only: records can be edited. What its agent advertised is known since its newest start. */
function canFork(meta: SessionMeta | null, { id }: RuntimeHandle): boolean {
  return meta?.driver?.key === id && lacksConversation(meta) === null && meta.agent_can?.includes('fork') === true
}

/** null: agh has no such session, or cannot read it. */
function knownTo(link: DaemonLink, handle: RuntimeHandle): SessionMeta | null {
  const target = readHandle(handle)
  if (target?.home !== link.paths.home) return null
  try {
    return readMeta(link.paths, target.session)
  } catch (error) {
    if (error instanceof AoError) return null
    throw error
  }
}

function attachInfo(link: DaemonLink, handle: RuntimeHandle): AttachInfo {
  const session = requireOwnSession(handle, link.paths)
  const command = [process.execPath, aghProgram(), 'session', 'attach', session]
  return {
    type: 'acp',
    target: session,
    command,
    readOnlyCommand: [...command, '--read-only'],
    environment: { AGH_HOME: link.paths.home },
  }
}

function aghProgram(): string {
  return ownProgram(import.meta.url, '../../cli/agh.ts', 'agh.js')
}

async function listNames(link: DaemonLink): Promise<string[]> {
  try {
    const { sessions } = await link.call('GET /api/sessions', { query: { stopped: false } })
    return sessions.flatMap(({ driver }) => (driver?.name === DRIVER ? [driver.key] : []))
  } catch (error) {
    if (isNotRunning(error) && daemonIsGone(link.paths)) return namesOnDisk(link, DRIVER)
    throw error
  }
}
