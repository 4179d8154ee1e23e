// The dashboard's real server over one project, for tests of its routes: real git, real records, no loop and no page.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load-config.ts'
import { factsOfStatus } from '../../src/core/status/derive-status.ts'
import { DASHBOARD_ROUTES } from '../../src/dashboard/server/routes.ts'
import { serveDashboard } from '../../src/dashboard/server/serve-dashboard.ts'
import type { LocalForge, LocalScm } from '../../src/forge/types.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { LoopState } from '../../src/lifecycle/loop/create-loop.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { createManagerContext, scmOf } from '../../src/manager/context.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { agreeToAll } from '../support/agree.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome } from '../support/temp-home.ts'

const TOKEN = 'a-token-of-the-test'

export interface Answer<T = Record<string, unknown>> {
  status: number
  body: T & { error?: { code: string; message: string; hint?: string } }
}

export type ServedProject = Awaited<ReturnType<typeof serveProject>>

export interface ServedOptions {
  /** Lines below `projects.app`. */
  yaml: string[]
  /** Lines at the top of the file. */
  top?: string[]
  env?: NodeJS.ProcessEnv
  files?: Record<string, string>
  /** Where a built page is; the repository's own by default. */
  pageDirectory?: string
  loopState?: () => LoopState
}

export async function serveProject(options: ServedOptions) {
  const temp = createTempHome()
  const repo = createRepo(join(temp.home, 'app'), temp.env, options.files)
  // The base branch is checked out nowhere, so that merging moves nothing of the test's.
  git(repo, temp.env, 'switch', '--quiet', '-c', 'elsewhere')
  const path = join(repo, 'agent-orchestrator.yaml')
  const lines = options.yaml.map((line) => `    ${line}`)
  writeFileSync(
    path,
    [
      'port: 0',
      `dashboard: { token: ${TOKEN} }`,
      ...(options.top ?? []),
      'projects:',
      '  app:',
      '    path: .',
      ...lines,
      '',
    ].join('\n'),
  )
  const env = { ...temp.env, USER: 'sam', ...options.env }
  const place = { env, home: temp.home }
  const config = loadConfig({ path, ...place })
  await agreeToAll(config, place)
  const registry = createPluginRegistry({ ...place, log: silentLog })
  await registry.loadBuiltins(config, { lazy: true })
  const common = { config, registry, log: silentLog, ...place }
  const context = createManagerContext(common)
  const requests: string[] = []
  const loop = {
    askForge: (id: string) => void requests.push(id),
    state: () => options.loopState?.() ?? ('ready' as const),
  }
  const server = await serveDashboard(
    { context, manager: createSessionManager(common), loop },
    {
      files: runFiles(context.paths),
      ...(options.pageDirectory === undefined ? {} : { pageDirectory: options.pageDirectory }),
    },
  )
  async function api<T = Record<string, unknown>>(method: string, url: string, body?: unknown): Promise<Answer<T>> {
    const response = await fetch(`http://127.0.0.1:${server.port}${url}`, {
      method,
      // git is waited for in this process: a connection that rested may have been closed meanwhile.
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = { status: response.status, body: (await response.json()) as Answer<T>['body'] }
    if (response.ok) expectAsDescribed(method, url, answer.body)
    return answer
  }
  return {
    temp,
    repo,
    context,
    server,
    token: TOKEN,
    api,
    /** Projects whose forge the loop was asked to query. */
    requests,
    git: (...args: string[]) => git(repo, env, ...args),
    async forge(): Promise<LocalForge> {
      const scm = (await scmOf(context, context.config.projects.app!)) as LocalScm
      return scm.forge(context.config.projects.app!)
    },
    /** One commit on a branch, from main when it is new; a content of null removes the file. */
    commit(branch: string, files: Record<string, string | Buffer | null>): string {
      return commitFiles(repo, env, branch, files)
    },
    /** A record as a spawn writes it, without an agent. */
    async session(id: string, pairs: Record<string, string>): Promise<void> {
      await context
        .store('app')
        .reserve(id, { ...factsOfStatus('working'), project: 'app', ...pairs }, { type: 'session.reserved' } as never)
    },
    async close(): Promise<string[]> {
      await server.close()
      return temp.cleanup()
    },
  }
}

/** Every good answer that a test gets has the shape that its row in the table promises to the page. */
function expectAsDescribed(method: string, url: string, body: unknown): void {
  const path = url.split('?')[0]!
  const row = DASHBOARD_ROUTES.find(
    (one) => one.method === method && new RegExp(`^${one.path.replace(/:[A-Za-z]+/g, '[^/]+')}$`).test(path),
  )
  const problem = row?.answer?.safeParse(body).error
  if (problem) throw new Error(`${method} ${url} does not answer as its row says: ${problem.message}`)
}

function commitFiles(
  repo: string,
  env: NodeJS.ProcessEnv,
  branch: string,
  files: Record<string, string | Buffer | null>,
): string {
  const worktree = join(env.HOME!, '.worktree-of-test')
  const exists = git(repo, env, 'for-each-ref', `refs/heads/${branch}`) !== ''
  git(repo, env, 'worktree', 'add', '--quiet', worktree, ...(exists ? [branch] : ['-b', branch, 'main']))
  for (const [name, content] of Object.entries(files)) {
    if (content === null) {
      git(worktree, env, 'rm', '--quiet', name)
      continue
    }
    mkdirSync(join(worktree, name, '..'), { recursive: true })
    writeFileSync(join(worktree, name), content)
  }
  git(worktree, env, 'add', '--all')
  git(worktree, env, 'commit', '--quiet', '--message', `change ${Object.keys(files)[0]}`)
  const commit = git(worktree, env, 'rev-parse', 'HEAD')
  git(repo, env, 'worktree', 'remove', '--force', worktree)
  return commit
}
