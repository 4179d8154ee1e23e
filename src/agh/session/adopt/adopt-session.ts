// A daemon was killed or left, and an agent outlived it: the next daemon continues the session where that one was. Output
// that was not recorded comes again from the agent's host; requests that were not answered are answered now; a prompt that
// was recorded and never sent is sent. Anything that cannot be continued is left to the repair.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf } from '../../../contract/agh/events.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import {
  type BookmarkAgent,
  type BookmarkNow,
  readBookmarkAgent,
  readBookmarkNow,
  recallState,
} from '../../../core/agh/machine/bookmark.ts'
import { turnOf } from '../../../core/agh/machine/session-state.ts'
import { prefaceBlock } from '../../../core/agh/session/preface.ts'
import { NOT_DELIVERED_HERE } from '../../../core/agh/session/waiting-prompt.ts'
import { endedElsewhere } from '../../../host/elsewhere.ts'
import { type HostRecord, readHostRecord } from '../../../host/files.ts'
import { HostRefusedError } from '../../../host/read.ts'
import { nowMs } from '../../../lib/clock.ts'
import { mayBeAlive, parseIdentity } from '../../../lib/process/process-identity.ts'
import { removeFile } from '../../../lib/remove.ts'
import { agentHostDirectory } from '../../acp/agent-host.ts'
import { type AgentProcess, attachAgent } from '../../acp/agent-process.ts'
import { connectAgent, promptKey } from '../../acp/connection.ts'
import { endLostTerminals } from '../../acp/terminals.ts'
import { answerKey } from '../../acp/wire.ts'
import { sessionDirectory } from '../../paths.ts'
import { isDamage } from '../../store/database.ts'
import { historyFile } from '../../store/meta-file.ts'
import { type OpenRequest, readBookmark } from '../../store/read-log.ts'
import { createClientApp } from '../client-app.ts'
import type { AghContext } from '../context.ts'
import { deliverWaiting } from '../driver/driver-messages.ts'
import { keepDigest } from '../driver/keep-digest.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'
import { adopt, noteMessage, sendCancel, takeConnection, takeProcess } from '../publish.ts'
import { openSession, readKept } from '../start/open-session.ts'
import { limitLifetime, watchAgent } from '../start/watch-agent.ts'
import type { RequestMemory } from '../turn/permission-desk.ts'
import { askAgent, openTurn } from '../turn/prompt.ts'
import { reportUndelivered } from '../turn/report-undelivered.ts'
import { wireHandlers } from '../turn/running-turn.ts'
import { superviseTurn } from '../turn/supervise-turn.ts'
import { keepBookmark } from './keep-bookmark.ts'

interface Memory {
  now: BookmarkNow
  agent: BookmarkAgent
  open: OpenRequest[]
}

/** false: there is provably nothing to continue. Throws when its host is running and does not answer: nobody can tell then. */
export async function adoptSession(context: AghContext, meta: SessionMeta): Promise<boolean> {
  if (meta.state !== 'active' || !meta.process) return false
  const { spawn_id, host_directory } = meta.process
  const directory = agentHostDirectory(context.paths, { id: meta.id, process: meta.process })
  const record = readHostRecord(directory)
  if (record?.spawnId !== spawn_id || !mayRun(record)) return false
  const memory = await recall(context, meta, spawn_id)
  if (!memory) return false
  requireRoom(sessionDirectory(context.paths, meta.id))
  const process = await attach(meta, directory, record, memory.now.place)
  if (!process) return false
  // What an agent elsewhere was started with is not needed again.
  const isWhole = host_directory !== undefined || readKept(process.host.keep) !== null
  if (process.host.spawnId !== spawn_id || !isWhole) {
    process.detach()
    return false
  }
  await continueSession(context, meta, memory, process)
  return true
}

function mayRun({ host, isElsewhere }: HostRecord): boolean {
  return isElsewhere || mayBeAlive(host)
}

/** What an agent may say while nobody has looked at the disk. */
const ROOM = 256 * 1024

/** A session that is continued and cannot be written would end its agent. Until then its host keeps what it says. */
function requireRoom(directory: string): void {
  const file = join(directory, 'room.tmp')
  try {
    writeFileSync(file, Buffer.alloc(ROOM), { mode: 0o600 })
  } finally {
    removeFile(file)
  }
}

async function recall(context: AghContext, meta: SessionMeta, spawnId: string): Promise<Memory | null> {
  try {
    const stored = await readBookmark(historyFile(context.paths, meta.id))
    const now = stored && readBookmarkNow(stored.now)
    const agent = stored && readBookmarkAgent(stored.agent)
    return now && agent && now.spawn_id === spawnId ? { now, agent, open: stored.open } : null
  } catch (error) {
    // A damaged log is salvaged by the repair.
    if (isDamage(error)) return null
    throw error
  }
}

const UNREACHABLE = 'Its place cannot be reached; the session continues when it can'
const CONNECT_MS = 500

/** null: nobody listens there, or not to us. */
async function attach(
  meta: SessionMeta,
  directory: string,
  record: HostRecord,
  offset: number,
): Promise<AgentProcess | null> {
  try {
    return await attachAgent(directory, offset, record.isElsewhere ? 0 : CONNECT_MS)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (error instanceof HostRefusedError || !mayRun(record)) return null
    // Its end came home, and so did the rest of its output.
    if (record.isElsewhere && endedElsewhere(directory)) return null
    if (!record.isElsewhere && (code === 'ENOENT' || code === 'ECONNREFUSED')) return null
    const pid = parseIdentity(record.host)?.pid
    throw new AoError('RUNTIME_FAILED', `The host of session ${meta.id} does not answer: ${errorText(error)}`, {
      hint: pid === undefined ? UNREACHABLE : `Try again; as a last resort end it with: kill -9 ${pid}`,
      details: { sessionId: meta.id, host: pid },
      cause: error,
    })
  }
}

async function continueSession(
  context: AghContext,
  meta: SessionMeta,
  { now, agent, open }: Memory,
  process: AgentProcess,
): Promise<void> {
  const taken = new Set(process.host.taken)
  const isOpen = ({ offset }: OpenRequest) => !taken.has(answerKey(offset))
  const session = await openSession(
    context,
    { meta },
    {
      kept: process.host.keep,
      nextPermission: agent.next_permission,
      nextTerminal: agent.next_terminal,
      recalled: new Map(
        open.flatMap(({ offset, done }) => (done === null ? [] : [[offset, JSON.parse(done) as RequestMemory]])),
      ),
    },
  )
  const sdk = await import('@agentclientprotocol/sdk')
  endLostTerminals(agent.terminals)
  await reportUndelivered(context, session, NOT_DELIVERED_HERE)
  const running = now.turn && openTurn(now.turn.id)
  adopt(context, session, { type: 'adopt', state: recallState(now, agent), at: nowMs(context) }, running)
  for (const { offset } of open.filter((one) => !isOpen(one))) session.store.recordRequest({ remove: offset })
  takeProcess(session, process)
  keepDigest(context, session)
  context.live.set(meta.id, session)
  if (meta.driver) context.driven.set(meta.driver.key, meta.id)
  const start = { offset: now.place, promptId: now.prompt_id, open: open.filter(isOpen) }
  const handlers = wireHandlers(context, session)
  takeConnection(session, connectAgent(createClientApp(sdk, context, session), process, handlers, start))
  keepBookmark(session)
  watchAgent(context, session)
  limitLifetime(context, session)
  if (running) continueTurn(context, session, running, taken.has(promptKey(running.id)))
  deliverWaiting(context, session)
  process.resume()
  context.log.info(`session ${meta.id} continues: its agent outlived the daemon`)
}

/** Its prompt is with the agent, or is sent now. */
function continueTurn(context: AghContext, session: LiveSession, running: RunningTurn, isHandedOver: boolean): void {
  superviseTurn(context, session, running)
  const row = session.store.findPrompt(running.id)
  const { text = '', preface = [], message_id = null, attachments } = row ? contentOf('user_message', row) : {}
  if (!isHandedOver) {
    void askAgent(context, session, running, [...preface.map(prefaceBlock), text], attachments)
    if (message_id !== null)
      void running.handedOver.promise.then((is) => noteMessage(session, message_id, is ? 'handed_over' : 'lost'))
    return
  }
  running.handedOver.resolve(true)
  if (message_id !== null) noteMessage(session, message_id, 'handed_over')
  // It may not have left before the kill; to an agent that has it, a second one changes nothing.
  if (turnOf(session.state)?.cancel) void sendCancel(context, session)
}
