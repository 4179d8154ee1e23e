// All sessions at once. The files are authoritative and are checked each time; what has not changed is neither read nor
// serialized again.
import { existsSync } from 'node:fs'
import type { DamagedSession, SessionView } from '../../contract/agh/answers.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { lostAgents } from '../store/lost-hosts.ts'
import { historyFile, listSessionIds } from '../store/meta-file.ts'
import type { AghContext } from './context.ts'
import { readSession } from './read-session.ts'
import { viewOf } from './view-of.ts'

export interface ListOptions {
  /** Without stopped sessions. */
  onlyLive?: boolean
}

export interface SessionList {
  /** Oldest first. */
  sessions: SessionView[]
  /** Sessions whose metadata is missing or unreadable; whether they are stopped is unknown. */
  damaged: DamagedSession[]
}

export async function listSessions(context: AghContext, options: ListOptions = {}): Promise<SessionList> {
  const { metas, damaged } = await readAll(context, options)
  return { sessions: metas.map((meta) => viewOf(context, meta)), damaged }
}

/** The same as JSON. */
export async function listSessionsText(context: AghContext, options: ListOptions = {}): Promise<string> {
  const { metas, damaged } = await readAll(context, options)
  const sessions = metas.map((meta) => textOf(context, meta)).join(',')
  return `{"sessions":[${sessions}],"damaged":${JSON.stringify(damaged)}}`
}

async function readAll(
  context: AghContext,
  options: ListOptions,
): Promise<{ metas: SessionMeta[]; damaged: DamagedSession[] }> {
  const metas: SessionMeta[] = []
  const damaged: DamagedSession[] = []
  for (const sessionId of listSessionIds(context.paths)) {
    try {
      const meta = readSession(context, sessionId)
      if (!options.onlyLive || meta.state !== 'stopped') metas.push(meta)
    } catch (error) {
      damaged.push({ session_id: sessionId, problem: problemOf(context, sessionId, error) })
    }
  }
  metas.sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
  return { metas, damaged }
}

/** Sessions by the ids that agents have for their conversations. A damaged session has none that anybody could continue. */
export async function conversationOwners(context: AghContext): Promise<Map<string, string>> {
  const { metas } = await readAll(context, {})
  return new Map(metas.flatMap(({ id, acp_session_id }) => (acp_session_id === null ? [] : [[acp_session_id, id]])))
}

const AGENT_RUNS = 'its agent is still running, end it with: agh session stop '

function problemOf(context: AghContext, sessionId: string, error: unknown): string {
  const isMissing = error instanceof AoError && error.code === 'SESSION_NOT_FOUND'
  const text = isMissing ? 'its meta.json is missing' : errorText(error).split('\n', 1)[0]!
  const agent = lostAgents(context.paths, sessionId).length > 0 ? `; ${AGENT_RUNS}${sessionId}` : ''
  return existsSync(historyFile(context.paths, sessionId)) ? `${text}; its history can be read${agent}` : text + agent
}

/** Only metadata is shown of a stopped session, and it is the same object as long as its file is unchanged. */
const texts = new WeakMap<SessionMeta, string>()

function textOf(context: AghContext, meta: SessionMeta): string {
  if (meta.state !== 'stopped' || context.live.has(meta.id)) return JSON.stringify(viewOf(context, meta))
  const cached = texts.get(meta)
  if (cached !== undefined) return cached
  const text = JSON.stringify(viewOf(context, meta))
  texts.set(meta, text)
  return text
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
