// Sessions of another program (ao): it names them, supplies command and environment, and must be alive when they start.
import { statSync } from 'node:fs'
import type { DriveAgainRequest, DriveRequest } from '../../../contract/agh/driver.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { AoError } from '../../../contract/errors.ts'
import { offersMode } from '../../../core/agh/session/agent-settings.ts'
import { ignoreFailure } from '../../../lib/ignore-failure.ts'
import { mayBeAlive } from '../../../lib/process/process-identity.ts'
import { readMeta } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import { forkOf } from '../conversations.ts'
import type { LiveSession } from '../live-session.ts'
import { readSession } from '../read-session.ts'
import { repairSession } from '../repair-session.ts'
import { changeSettings } from '../start/apply-settings.ts'
import { freshMeta } from '../start/create-session.ts'
import { resumeSession } from '../start/resume-session.ts'
import { freshProcess, startSession } from '../start/start-session.ts'
import { deliverWaiting } from './driver-messages.ts'

/** Repeating the same launch returns the session it created. */
export async function driveSession(context: AghContext, request: DriveRequest): Promise<LiveSession> {
  const copied = request.fork_of === undefined ? null : await readSource(context, request.fork_of, request.driver)
  const running = findDriven(context, request.key)
  if (running?.driver?.spawn_id === request.spawn_id) return liveOne(context, running.id)
  if (running) {
    throw new AoError('STATE_REFUSED', `${request.key} runs already, as session ${running.id}`, {
      details: { sessionId: running.id, key: request.key },
    })
  }
  requireWorkspace(request.workspace_path)
  // From here to the metadata there is no await: a search after the owner's death finds the session now or never.
  requireOwner(request.owner)
  const meta = freshMeta(context, {
    name: request.key,
    agent_name: request.agent_name,
    type: 'user',
    workspace_id: null,
    workspace_path: request.workspace_path,
    permissions: request.permissions,
    process: freshProcess(context, { ...request, spawnId: request.spawn_id, hostDirectory: request.host_directory }),
    driver: { name: request.driver, key: request.key, spawn_id: request.spawn_id },
    settings: { ...(request.model && { model: request.model }), ...(request.mode && { mode: request.mode }) },
    additional_directories: request.additional_directories,
  })
  context.driven.set(request.key, meta.id)
  const session = await startSession(context, {
    meta: { ...meta, ...copied },
    conversation: copied ? { forks: copied.forked_from.acp_session_id } : 'new',
    ...launchOf(request),
  })
  if (request.mode === undefined) await chooseMode(context, session, request.modes)
  return session
}

/** What a fork copies; recorded before anything of it is started. */
async function readSource(context: AghContext, sourceId: string, driver: string) {
  const source = await repairSession(context, sourceId)
  return { forked_from: forkOf(source, driver), preface: source.preface ?? [] }
}

/** A preference: it is kept in the settings, so a resumed session has it again. */
async function chooseMode(context: AghContext, session: LiveSession, modes: readonly string[]): Promise<void> {
  const mode = modes.find((one) => offersMode(session.state.offers, one))
  if (mode === undefined) return
  await ignoreFailure(`${session.meta.id} keeps the mode of its agent`, context.log, () =>
    changeSettings(context, session.meta.id, { mode }),
  )
}

function launchOf({ environment, instructions, mcp_servers, far_workspace }: DriveAgainRequest) {
  return {
    environment,
    farWorkspace: far_workspace,
    ...(instructions === undefined ? {} : { instructions }),
    ...(mcp_servers === undefined ? {} : { mcpServers: mcp_servers }),
  }
}

export async function driveAgain(
  context: AghContext,
  sessionId: string,
  request: DriveAgainRequest,
): Promise<LiveSession> {
  const { driver, workspace_path } = readMeta(context.paths, sessionId)
  if (!driver) throw new AoError('STATE_REFUSED', `Session ${sessionId} is not driven by a program: resume it`)
  requireWorkspace(workspace_path)
  requireOwner(request.owner)
  context.driven.set(driver.key, sessionId)
  const { command, spawn_id: spawnId, host_directory: hostDirectory } = request
  const launch = { command, spawnId, hostDirectory, ...launchOf(request) }
  const session = await resumeSession(context, sessionId, { launch })
  deliverWaiting(context, session)
  return session
}

/** The live session under this key; null when there is none. */
export function findDriven(context: AghContext, key: string): SessionMeta | null {
  const id = context.driven.get(key)
  if (id === undefined) return null
  const meta = readSession(context, id)
  return meta.state === 'stopped' ? null : meta
}

async function liveOne(context: AghContext, id: string): Promise<LiveSession> {
  const session = context.live.get(id)
  return context.starting.get(id) ?? session ?? Promise.reject(new AoError('INTERNAL', `Session ${id} just ended`))
}

function requireOwner(identity: string): void {
  if (mayBeAlive(identity)) return
  throw new AoError('STATE_REFUSED', 'The program that asked for this session has ended; nothing was started')
}

function requireWorkspace(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new AoError('WORKSPACE_MISSING', `The workspace ${path} is not there`)
}
