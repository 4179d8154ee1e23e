// Which changes in a project are news, and for which sessions: records, agents' own files, branches, the forge's files,
// ended agents.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { storedOf, storedSessions } from '../../manager/active.ts'
import { agentOf, scmOf } from '../../manager/context.ts'
import { readOptions } from '../../manager/observe/observe-sessions.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import type { Trigger } from '../loop/project-rounds.ts'
import { MEMORY_FILE } from '../tick/reaction-memory.ts'
import { createWatchedPaths, type WatchTarget } from './watch-paths.ts'
import { watchRuntimes } from './watch-runtimes.ts'

export interface ProjectWatch {
  /**
   * Sessions come and go, and agents create their files at any time: called before every tick that may matter, so that
   * changes during the tick are not missed.
   */
  refresh(): Promise<void>
  /** These were just observed: one that began since the last refresh is watched from now on. */
  add(sessions: Session[]): Promise<void>
  /** The files of one of them, or of its newest start, are not watched yet. */
  isNew(sessionIds: Iterable<string>): boolean
  close(): void
}

/** Also for others that follow changes, not only the loop. */
export type Watcher = Pick<LoopContext, 'context' | 'health'>

export function watchProject(loop: Watcher, project: ProjectConfig, trigger: (reason: Trigger) => void): ProjectWatch {
  let stamps = new Map<string, string>()
  const watched = createWatchedPaths((why) => loop.health('file-watching', 'warn', why))
  const runtimes = watchRuntimes(loop, (session) => trigger({ session }))
  return {
    async refresh() {
      const sessions = storedSessions(loop.context, project.id).filter(isWatched)
      stamps = new Map(sessions.map((session) => [session.id, launchOf(session)]))
      await runtimes.follow(sessions)
      const ofSessions = await Promise.all(sessions.map((session) => sessionTargets(loop, session, trigger)))
      watched.set([
        ...recordTargets(loop, project, trigger),
        ...(await forgeTargets(loop, project, trigger)),
        ...ofSessions.flat(),
      ])
    },
    add: runtimes.add,
    isNew: (sessionIds) =>
      storedOf(loop.context, project.id, [...sessionIds])
        .filter(isWatched)
        .some((session) => stamps.get(session.id) !== launchOf(session)),
    close() {
      watched.close()
      runtimes.close()
    },
  }
}

function isWatched({ status }: Session): boolean {
  return !isTerminalSession({ status, activity: null })
}

/** Where it runs decides which files are watched, and that is recorded later than the session itself. */
function launchOf({ runtimeHandle }: Session): string {
  return JSON.stringify(runtimeHandle)
}

function recordTargets(loop: Watcher, project: ProjectConfig, trigger: (reason: Trigger) => void): WatchTarget[] {
  const store = loop.context.store(project.id)
  // Created before the first session, so that the first one is noticed too.
  store.ensure()
  const { sessions } = store.paths
  return [{ path: sessions, onChange: (name) => name !== null && !name.startsWith('.') && trigger({ session: name }) }]
}

async function sessionTargets(
  loop: Watcher,
  session: Session,
  trigger: (reason: Trigger) => void,
): Promise<WatchTarget[]> {
  const options = readOptions(loop.context, session)
  const news = (name: string | null) => {
    // Our own activity file and half-written files are not news.
    if (name !== MEMORY_FILE && !name?.startsWith('.')) trigger({ session: session.id })
  }
  const paths = new Set([options.stateDir, ...(await agentPaths(loop, session, options))])
  return [...paths].map((path) => ({ path, onChange: news }))
}

async function agentPaths(loop: Watcher, session: Session, options: ReturnType<typeof readOptions>): Promise<string[]> {
  try {
    const { runtimeHandle } = session
    const events = runtimeHandle && (await loop.context.registry.find('runtime', runtimeHandle.runtimeName))?.events
    if (events) return events.watchPaths(runtimeHandle)
    const agent = await agentOf(loop.context.registry, session)
    return (await agent?.watchPaths?.(session, options)) ?? []
  } catch (error) {
    loop.context.log.debug(`${session.id}: its agent's files are not watched: ${errorText(error)}`)
    return []
  }
}

/** Branches: local commits matter to a local forge, pushes to one behind a network. */
async function forgeTargets(
  loop: Watcher,
  project: ProjectConfig,
  trigger: (reason: Trigger) => void,
): Promise<WatchTarget[]> {
  try {
    const scm = await scmOf(loop.context, project)
    const common = commonGitDir(project.path)
    if (!scm || common === null) return []
    for (const path of scm.watchPaths?.(project) ?? []) {
      // Created before the first change, so that the first one is noticed too.
      if (existsSync(dirname(path))) mkdirSync(path, { recursive: true, mode: 0o700 })
    }
    const refs = join(common, 'refs', scm.watchPaths ? 'heads' : 'remotes')
    const roots = [...(scm.watchPaths?.(project) ?? []), refs]
    const onChange = (name: string | null) => isNews(name) && trigger({ forge: true })
    return roots.map((path) => ({ path, recursive: true, onChange }))
  } catch (error) {
    loop.context.log.debug(`the forge of ${project.id} is not watched: ${errorText(error)}`)
    return []
  }
}

function isNews(name: string | null): boolean {
  if (name === null) return true
  const last = name.split('/').at(-1) ?? ''
  return !last.startsWith('.') && !last.endsWith('.lock') && !last.endsWith('.log')
}
