// All sessions at once. The files are the truth and are looked at each time; what did not change is neither read nor
// written out again.
import type { SessionView } from '../contract/agh/answers.ts'
import type { SessionMeta } from '../contract/agh/session-meta.ts'
import { errorText } from '../contract/errors.ts'
import type { AghContext } from './session/context.ts'
import { readSession } from './session/repair-session.ts'
import { viewOf } from './session/view-of.ts'
import { listSessionIds, readMeta } from './store/meta-file.ts'

export interface ListOptions {
  /** Without the stopped ones. */
  onlyLive?: boolean
}

/** Oldest first. One whose metadata cannot be read is left out and logged. */
export async function listSessions(context: AghContext, options: ListOptions = {}): Promise<SessionView[]> {
  return (await readAll(context, options)).map((meta) => viewOf(context, meta))
}

/** The same as the JSON of `{ sessions }`. */
export async function listSessionsText(context: AghContext, options: ListOptions = {}): Promise<string> {
  const metas = await readAll(context, options)
  return `{"sessions":[${metas.map((meta) => textOf(context, meta)).join(',')}]}`
}

async function readAll(context: AghContext, options: ListOptions): Promise<SessionMeta[]> {
  const metas: SessionMeta[] = []
  for (const sessionId of listSessionIds(context.paths)) {
    try {
      const meta = readStopped(context, sessionId) ?? (await readSession(context, sessionId))
      if (!options.onlyLive || meta.state !== 'stopped') metas.push(meta)
    } catch (error) {
      context.log.warn(`session ${sessionId} cannot be listed: ${errorText(error)}`)
    }
  }
  return metas.sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
}

/** Most sessions are stopped: for those there is nothing to wait for. */
function readStopped(context: AghContext, sessionId: string): SessionMeta | null {
  if (context.live.has(sessionId)) return null
  const meta = readMeta(context.paths, sessionId)
  return meta.state === 'stopped' ? meta : null
}

/** Of a stopped session nothing but its metadata is shown, and its metadata is one object as long as its file is the same. */
const texts = new WeakMap<SessionMeta, string>()

function textOf(context: AghContext, meta: SessionMeta): string {
  if (meta.state !== 'stopped' || context.live.has(meta.id)) return JSON.stringify(viewOf(context, meta))
  const known = texts.get(meta)
  if (known !== undefined) return known
  const text = JSON.stringify(viewOf(context, meta))
  texts.set(meta, text)
  return text
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
