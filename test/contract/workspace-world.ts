// A home, a repository and one of the workspace plugins, for tests over real git.
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { silentLog } from '../../src/lib/log.ts'
import { plugin as clonePlugin } from '../../src/plugins/workspace-clone/index.ts'
import { plugin as worktreePlugin } from '../../src/plugins/workspace-worktree/index.ts'
import type { Plugin, PluginContext } from '../../src/slots/plugin.ts'
import type { Workspace, WorkspaceInfo, WorkspaceSpec } from '../../src/slots/workspace.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

export type Kind = 'worktree' | 'clone'

/** Everything the optional parts of a Workspace promise, because both git workspaces have all of them. */
export type FullWorkspace = Required<Workspace>

export interface World {
  temp: TempHome
  env: NodeJS.ProcessEnv
  repo: string
  project: ProjectConfig
  workspace: FullWorkspace
  /** Lines that `create`, `restore` and `postCreate` reported. */
  progress: string[]
  git(cwd: string, ...args: string[]): string
  spec(sessionId: string, branch?: string, overrides?: Partial<ProjectConfig>): WorkspaceSpec
  create(sessionId: string, branch?: string): Promise<WorkspaceInfo>
}

export function createWorld(
  kind: Kind,
  options: { files?: Record<string, string>; config?: Record<string, unknown> } = {},
): World {
  const temp = createTempHome()
  const { env, home } = temp
  const repo = createRepo(join(home, 'project'), env, options.files)
  const workspace = openWorkspace(kind, contextOf(temp), options.config)
  const project = projectOf(repo)
  const progress: string[] = []
  const spec = (
    sessionId: string,
    branch = `feat/${sessionId}`,
    overrides: Partial<ProjectConfig> = {},
  ): WorkspaceSpec => ({
    projectId: 'app',
    project: { ...project, ...overrides },
    sessionId,
    branch,
    stateDir: join(home, 'state', sessionId),
    onProgress: (line) => progress.push(line),
  })
  return {
    temp,
    env,
    repo,
    project,
    workspace,
    progress,
    git: (cwd, ...args) => git(cwd, env, ...args),
    spec,
    create: (sessionId, branch) => workspace.create(spec(sessionId, branch)),
  }
}

export function contextOf(temp: TempHome): PluginContext {
  const dataDir = join(temp.home, '.agent-orchestrator')
  return { home: temp.home, env: temp.env, log: silentLog, configDir: temp.home, dataDir }
}

export function openWorkspace(kind: Kind, context: PluginContext, config: Record<string, unknown> = {}): FullWorkspace {
  return pluginOf(kind).create(config, context) as FullWorkspace
}

export function pluginOf(kind: Kind): Plugin<'workspace'> {
  return kind === 'worktree' ? worktreePlugin : clonePlugin
}

export function commitFile(world: World, path: string, file: string, content: string): void {
  writeFileSync(join(path, file), content)
  world.git(path, 'add', '--', file)
  world.git(path, 'commit', '--quiet', '-m', file)
}

/** A context whose git fails at one command as if the disk were full, or does what `script` says instead. */
export function contextWithBrokenGit(temp: TempHome, command: string, script = FULL_DISK): PluginContext {
  const bin = join(temp.home, `broken-${command}`)
  mkdirSync(bin)
  const lines = [
    '#!/bin/sh',
    // The real git is the next one on the path.
    'PATH=${PATH#*:}',
    `for word in "$@"; do if [ "$word" = ${command} ]; then ${script}; fi; done`,
    'exec git "$@"',
  ]
  writeFileSync(join(bin, 'git'), `${lines.join('\n')}\n`, { mode: 0o755 })
  const context = contextOf(temp)
  return { ...context, env: { ...context.env, PATH: `${bin}:${context.env.PATH}` } }
}

const FULL_DISK = "echo 'fatal: No space left on device' >&2; exit 128"

export function projectOf(repo: string): ProjectConfig {
  return { id: 'app', name: 'app', path: repo, sessionPrefix: 'app', defaultBranch: 'main' }
}

/** Type, executable bit and content of everything below a directory, git's own data left out. */
export function fingerprint(directory: string): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (below: Buffer) => {
    const absolute = Buffer.concat([Buffer.from(`${directory}/`), below])
    const stat = lstatSync(absolute)
    if (stat.isDirectory()) {
      for (const entry of readdirSync(absolute, { encoding: 'buffer' })) {
        if (entry.toString() === '.git') continue
        walk(below.length === 0 ? entry : Buffer.concat([below, Buffer.from('/'), entry]))
      }
      return
    }
    found[below.toString('latin1')] = stat.isSymbolicLink()
      ? `-> ${readlinkSync(absolute)}`
      : describeFile(absolute, stat.mode)
  }
  walk(Buffer.alloc(0))
  return found
}

function describeFile(path: Buffer, mode: number): string {
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)
  return `${mode & 0o100 ? 'x' : '-'} ${hash}`
}

/** What git reports about a checkout: its HEAD, what is staged, what is not. */
export function gitState(world: World, path: string): Record<string, string> {
  const ask = (...args: string[]) => {
    try {
      return world.git(path, ...args)
    } catch {
      return 'none'
    }
  }
  return {
    head: ask('rev-parse', 'HEAD'),
    branch: ask('symbolic-ref', '--quiet', 'HEAD'),
    index: ask('ls-files', '--stage', '-v'),
    bisect: ask('bisect', 'log'),
    sparse: ask('sparse-checkout', 'list'),
    status: ask('--no-optional-locks', 'status', '--porcelain=v2', '--untracked-files=all'),
  }
}
