// Tells pages when pull requests or issues on this machine have changed, whoever changed them: an agent, a command, git.
// Forges behind a network are heard through the loop, which changes the cards of their sessions.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../contract/config.ts'
import { commonGitDir } from '../lib/git-dir.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import { createWatchedPaths, type WatchWish } from '../lifecycle/watch-paths.ts'
import { scmOf } from '../manager/chosen-plugin.ts'
import type { DashboardContext } from './context.ts'
import { forgetIssues } from './issue-list.ts'
import { forgetPulls } from './pull-reading.ts'

/** A push or a run of checks touches many files. */
const SETTLE_MS = 80
/** Directories that were not there yet are looked for again. */
const AGAIN_MS = 5_000

export function watchPullNews(context: DashboardContext): { close(): void } {
  const watched = createWatchedPaths((why) => context.log.debug(why))
  const pending = new Map<string, NodeJS.Timeout>()
  const soon = (key: string, tell: () => void) => {
    if (pending.has(key)) return
    const timer = setTimeout(() => {
      pending.delete(key)
      tell()
    }, SETTLE_MS)
    pending.set(key, timer)
  }
  const refresh = () =>
    ignoreFailure('changes of pull requests are not seen at once', context.log, async () => {
      const wishes = await Promise.all(
        Object.values(context.config.projects).map((project) => wishesOf(context, project, soon)),
      )
      if (!isClosed) watched.set(wishes.flat())
    })
  let isClosed = false
  const again = setInterval(refresh, AGAIN_MS).unref()
  void refresh()
  return {
    close() {
      isClosed = true
      clearInterval(again)
      for (const timer of pending.values()) clearTimeout(timer)
      watched.close()
    },
  }
}

type Soon = (key: string, tell: () => void) => void

async function wishesOf(context: DashboardContext, project: ProjectConfig, soon: Soon): Promise<WatchWish[]> {
  const { id } = project
  const pulls = (name: string | null) =>
    isNews(name) &&
    soon('pulls', () => {
      forgetPulls(context, id)
      context.board.tellStale({ what: 'pulls' })
    })
  const issues = (name: string | null) =>
    isNews(name) &&
    soon(`issues ${id}`, () => {
      forgetIssues(context, id)
      context.board.tellStale({ what: 'issues', projectId: id })
    })
  const ofPulls = (await pullPaths(context, project)).map((path) => ({ path, recursive: true, onChange: pulls }))
  const ofIssues = { path: join(context.paths.project(id).dir, 'issues'), onChange: issues }
  return [...ofPulls, ofIssues].filter(({ path }) => existsSync(path))
}

async function pullPaths(context: DashboardContext, project: ProjectConfig): Promise<string[]> {
  const paths = (await scmOf(context, project))?.watchPaths?.(project) ?? []
  const common = commonGitDir(project.path)
  return paths.length === 0 || common === null ? paths : [...paths, join(common, 'refs', 'heads')]
}

function isNews(name: string | null): boolean {
  const last = name?.split('/').at(-1) ?? ''
  return !last.startsWith('.') && !last.endsWith('.lock') && !last.endsWith('.log')
}
