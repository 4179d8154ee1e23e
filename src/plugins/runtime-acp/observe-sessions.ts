// What agh knows of sessions: one query to the daemon for all of them, their files when there is no daemon.

import { type FSWatcher, watch } from 'node:fs'
import { agentState } from '../../agh/acp/agent-host.ts'
import { sessionDirectory } from '../../agh/paths.ts'
import { readMeta } from '../../agh/store/meta-file.ts'
import type { SessionView } from '../../contract/agh/answers.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { parseIdentity } from '../../lib/process/process-identity.ts'
import type { Liveness, RuntimeWatch } from '../../slots/runtime.ts'
import type { AcpHandle } from './acp-handle.ts'
import { readHandle } from './acp-handle.ts'
import { type DaemonLink, daemonIsGone } from './daemon-link.ts'

export type Observed =
  | { kind: 'view'; view: SessionView }
  /** Its daemon is gone, so it has ended; the metadata may still say otherwise. */
  | { kind: 'left'; meta: SessionMeta }
  | { kind: 'none' }
  | { kind: 'unknown'; why: string }

/** Keyed by the handle's name. Never throws. */
export async function observeSessions(link: DaemonLink, handles: AcpHandle[]): Promise<Map<string, Observed>> {
  const own = handles.filter(({ home }) => home === link.paths.home)
  const observed = own.length === 0 ? new Map<string, Observed>() : await ask(link, own)
  return new Map(
    handles.map(({ name, session, home }): [string, Observed] => [
      name,
      observed.get(session) ?? { kind: 'unknown', why: `it is a session of the agh in ${home}` },
    ]),
  )
}

async function ask(link: DaemonLink, handles: AcpHandle[]): Promise<Map<string, Observed>> {
  const ids = [...new Set(handles.map(({ session }) => session))].sort()
  try {
    return await askDaemon(link, ids)
  } catch (error) {
    // Killed while it was asked, it may also have cut a connection that was kept open.
    if (!daemonIsGone(link.paths)) return new Map(ids.map((id) => [id, { kind: 'unknown', why: errorText(error) }]))
    const left = new Map(ids.map((id) => [id, readLeft(link, id)]))
    return [...left.values()].some(agentLives) ? revive(link, ids, left) : left
  }
}

async function askDaemon(link: DaemonLink, ids: string[]): Promise<Map<string, Observed>> {
  const answer = await link.callOnce('POST /api/driver/sessions/look', { body: { ids } })
  return new Map(ids.map((id): [string, Observed] => [id, seen(answer.sessions[id] ?? null)]))
}

/** An agent that outlived its daemon needs another: for its next question, and to be heard at all. */
async function revive(link: DaemonLink, ids: string[], left: Map<string, Observed>): Promise<Map<string, Observed>> {
  try {
    await link.ensure()
    return await askDaemon(link, ids)
  } catch {
    // Then it is as it was: the agent is running, and nothing else is known.
    return left
  }
}

function agentLives(observed: Observed): boolean {
  return observed.kind === 'left' && observed.meta.state === 'active' && agentState(observed.meta) === 'alive'
}

export async function observeOne(link: DaemonLink, handle: AcpHandle): Promise<Observed> {
  return (await observeSessions(link, [handle])).get(handle.name)!
}

function seen(view: SessionView | null): Observed {
  return view ? { kind: 'view', view } : { kind: 'none' }
}

function readLeft(link: DaemonLink, id: string): Observed {
  try {
    return { kind: 'left', meta: readMeta(link.paths, id) }
  } catch (error) {
    if (error instanceof AoError && error.code === 'SESSION_NOT_FOUND') return { kind: 'none' }
    return { kind: 'unknown', why: errorText(error) }
  }
}

export function judgeLife(handle: AcpHandle, observed: Observed): Liveness {
  if (observed.kind === 'unknown') return { state: 'unknown', why: observed.why }
  if (observed.kind === 'none') return { state: 'dead', why: `agh has no session ${handle.session}` }
  const meta = observed.kind === 'view' ? observed.view : observed.meta
  if (meta.driver?.key !== handle.name) return { state: 'dead', why: `${handle.session} is not its session in agh` }
  if (meta.driver.spawn_id !== handle.spawnId) return { state: 'dead', why: 'it was started again since then' }
  if (meta.state === 'stopped') return { state: 'dead', ...exitOf(meta), why: describeEnd(meta) }
  const identity = meta.process?.identity ? parseIdentity(meta.process.identity) : null
  if (observed.kind === 'left' && agentState(meta) !== 'dead') {
    const who = identity ? `the agent (pid ${identity.pid})` : 'the agent'
    return { state: 'unknown', why: `the agh daemon has ended, but ${who} has not` }
  }
  if (observed.kind === 'left') return { state: 'dead', why: 'the agh daemon that ran it has ended' }
  // Left by a killed daemon, and this one could not repair it; or its process has ended just now.
  if (meta.state === 'active' && observed.view.health.state === 'detached') {
    return { state: 'unknown', why: `agh has no hold of it; see: agh session repair ${handle.session}` }
  }
  return { state: 'alive', pid: identity?.pid }
}

function exitOf({ exit }: SessionMeta): { exitCode: number | undefined; signal: string | undefined } {
  return {
    exitCode: exit?.code ?? undefined,
    signal: exit?.signal ?? undefined,
  }
}

function describeEnd({ stop_reason, stop_detail, failure }: SessionMeta): string {
  return failure?.summary || stop_detail || (stop_reason ?? '')
}

// Notifies a long-lived process of ended sessions: agh writes it into the session's metadata, and the directory is watched.
// A killed daemon writes nothing; polling finds that.

export function watchEnds(link: DaemonLink, onChange: (handleIds: string[]) => void): RuntimeWatch {
  const watched = new Map<string, FSWatcher | null>()
  const begin = (handle: AcpHandle, key: string) => {
    const check = () => {
      if (!watched.has(key) || !hasEnded(link, handle)) return
      watched.get(key)?.close()
      // Already reported; kept so that it is not reported again.
      watched.set(key, null)
      onChange([handle.name])
    }
    watched.set(key, watchDirectory(link, handle, check))
    check()
  }
  return {
    follow(handles) {
      const wanted = new Map(ownOf(link, handles).map((one) => [keyOf(one), one]))
      for (const [key, watcher] of watched) {
        if (wanted.has(key)) continue
        watcher?.close()
        watched.delete(key)
      }
      for (const [key, handle] of wanted) if (!watched.has(key)) begin(handle, key)
    },
    close() {
      for (const watcher of watched.values()) watcher?.close()
      watched.clear()
    },
  }
}

function ownOf(link: DaemonLink, handles: RuntimeHandle[]): AcpHandle[] {
  return handles.flatMap((handle) => readHandle(handle) ?? []).filter(({ home }) => home === link.paths.home)
}

function keyOf({ session, spawnId }: AcpHandle): string {
  return `${session} ${spawnId}`
}

function watchDirectory(link: DaemonLink, { session }: AcpHandle, check: () => void): FSWatcher | null {
  try {
    const watcher = watch(sessionDirectory(link.paths, session), { persistent: false }, (_event, name) => {
      if (name === null || name === 'meta.json') check()
    })
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // Missing, or too many watches: polling finds out.
    return null
  }
}

function hasEnded(link: DaemonLink, { session, spawnId }: AcpHandle): boolean {
  try {
    const { state, driver } = readMeta(link.paths, session)
    return state === 'stopped' || driver?.spawn_id !== spawnId
  } catch (error) {
    if (error instanceof AoError) return error.code === 'SESSION_NOT_FOUND'
    throw error
  }
}
