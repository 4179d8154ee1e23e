// A repository with the local forge, for tests of both.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { editPull, reviewPull } from '../../src/forge/pulls/change-pull.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { toPrInfo } from '../../src/forge/pulls/pull-view.ts'
import type { LocalForge, LocalScm } from '../../src/forge/types.ts'
import { silentLog } from '../../src/lib/log.ts'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { plugin } from '../../src/plugins/scm-local/index.ts'
import type { PluginContext } from '../../src/slots/plugin.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import type { ScmWorld } from './scm-suite.ts'
import { projectOf } from './workspace-world.ts'

export interface ForgeWorld extends ScmWorld {
  scm: LocalScm
  temp: TempHome
  repo: string
  context: PluginContext
  forge: LocalForge
  git(...args: string[]): string
}

export interface ForgeWorldOptions {
  config?: Record<string, unknown>
  gates?: ProjectConfig['gates']
  files?: Record<string, string>
  /** Where the repository's own checkout is: on the base branch, or out of the way. */
  checkedOut?: 'main' | 'elsewhere'
}

const CI = { ci: { commands: ['unit', 'lint'].map((name) => ({ name, run: 'true' })) } }

export function createForgeWorld(options: ForgeWorldOptions = {}): ForgeWorld {
  const temp = createTempHome()
  const { home, env } = temp
  const repo = createRepo(join(home, 'project'), env, options.files)
  const ask = (...args: string[]) => git(repo, env, ...args)
  if (options.checkedOut !== 'main') ask('switch', '--quiet', '-c', 'elsewhere')
  const context: PluginContext = {
    home,
    env: { ...env, USER: 'sam' },
    log: silentLog,
    configDir: home,
    dataDir: join(home, '.agent-orchestrator'),
    port: 3000,
    requireTrust: () => undefined,
  }
  const project = { ...projectOf(repo), ...(options.gates && { gates: options.gates }) }
  const scm = plugin.create(options.config ?? CI, context) as LocalScm
  const forge = scm.forge(project)
  const head = (branch: string) => ask('rev-parse', `refs/heads/${branch}`)
  const push = async (branch: string, file: string, content: string, from?: string) =>
    commitTo(repo, env, { branch, file, content, from })
  return {
    temp,
    repo,
    context,
    scm,
    project,
    forge,
    git: ask,
    push,
    pushToBase: (file, content) => push('main', file, content),
    async openPR({ branch, title, draft = false }) {
      const { pull } = await openPull(forge, { title, body: '', head: branch, draft })
      return toPrInfo(pull, project.id)
    },
    async check(branch, name, result, log) {
      const command = forge.options.ci.find((one) => one.name === name)!
      const record = { ...command, status: result, owner: formatIdentity(currentProcess()), startedAt: '2026-01-01' }
      forge.checks.write(head(branch), record)
      if (log !== undefined) writeFileSync(forge.checks.logFile(head(branch), command), log)
      // What it started from is fine.
      forge.checks.write(ask('merge-base', 'main', branch), { ...record, status: 'passed' })
    },
    async review(number, { state, body = '', comments = [] }) {
      await reviewPull(forge, number, { state, body, comments })
    },
    close: async (number) => scm.closePR!(toPrInfo(forge.pulls.read(number)!, project.id), project),
    retarget: async (number, base) => void (await editPull(forge, number, { base })),
    async readBase(file) {
      try {
        return `${ask('show', `main:${file}`)}\n`
      } catch {
        return null
      }
    },
    baseHead: async () => head('main'),
    async breakDown() {
      renameSync(forge.pulls.directory, `${forge.pulls.directory}.gone`)
      writeFileSync(forge.pulls.directory, 'no directory')
    },
    async cleanup() {
      expect(ask('worktree', 'list').split('\n')).toHaveLength(1)
      expect(await temp.cleanup()).toEqual([])
    },
  }
}

/** One more commit on a branch that may be checked out nowhere. A checkout of the branch follows. */
function commitTo(
  repo: string,
  env: NodeJS.ProcessEnv,
  {
    branch,
    file,
    content,
    from = 'main',
  }: { branch: string; file: string; content: string; from?: string | undefined },
): string {
  const ask = (...args: string[]) => git(repo, env, ...args)
  const exists = ask('for-each-ref', `refs/heads/${branch}`) !== ''
  const parent = ask('rev-parse', `refs/heads/${exists ? branch : from}`)
  const index = join(env.HOME!, '.index-of-test')
  const own = { ...env, GIT_INDEX_FILE: index }
  git(repo, own, 'read-tree', parent)
  const source = join(env.HOME!, '.content-of-test')
  writeFileSync(source, content)
  const blob = ask('hash-object', '-w', '--no-filters', source)
  git(repo, own, 'update-index', '--add', '--cacheinfo', `100644,${blob},${file}`)
  const commit = ask('commit-tree', git(repo, own, 'write-tree'), '-p', parent, '-m', `change ${file}`)
  if (ask('branch', '--show-current') === branch) ask('reset', '--quiet', '--hard', commit)
  else ask('update-ref', `refs/heads/${branch}`, commit)
  return commit
}
