// Sessions of another program (ao): it names them, supplies command and environment, and must be alive when they start.
import { statSync } from 'node:fs'
import type { DriveAgainRequest, DriveRequest } from '../../../contract/agh/driver.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { AoError } from '../../../contract/errors.ts'
import { offersMode } from '../../../core/agh/session/agent-settings.ts'
import { ignoreFailure } from '../../../lib/ignore-failure.ts'
import { parseIdentity, processState } from '../../../lib/process/process-identity.ts'
import { readMeta } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { readSession } from '../read-session.ts'
import { changeSettings } from '../start/apply-settings.ts'
import { freshMeta } from '../start/create-session.ts'
import { resumeSession } from '../start/resume-session.ts'
import { freshProcess, startSession } from '../start/start-session.ts'
import { deliverWaiting } from './driver-messages.ts'

/** Repeating the same launch returns the session it created. */
export async function driveSession(context: AghContext, request: DriveRequest): Promise<LiveSession> {
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
    process: freshProcess(context, request.command, request.spawn_id),
    driver: { name: request.driver, key: request.key, spawn_id: request.spawn_id },
    ...(request.model === undefined ? {} : { settings: { model: request.model } }),
    additional_directories: request.additional_directories,
  })
  context.driven.set(request.key, meta.id)
  const session = await startSession(context, { meta, conversation: 'new', ...launchOf(request) })
  await chooseMode(context, session, request.modes)
  return session
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
  if (!driver) throw new AoError('STATE_REFUSED', `Session ${sessionId} belongs to nobody else: resume it`)
  requireWorkspace(workspace_path)
  requireOwner(request.owner)
  context.driven.set(driver.key, sessionId)
  const launch = { command: request.command, spawnId: request.spawn_id, ...launchOf(request) }
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
  const owner = parseIdentity(identity)
  if (owner && processState(owner) !== 'dead') return
  throw new AoError('STATE_REFUSED', 'The program that asked for this session has ended; nothing was started')
}

function requireWorkspace(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new AoError('WORKSPACE_MISSING', `The workspace ${path} is not there`)
}
