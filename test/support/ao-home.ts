// A person with a repository, a configuration and the built `ao`, in a HOME of their own. Everything is real.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '../../src/contract/events.ts'
import { hashConfigDir } from '../../src/lib/process/own-home.ts'
import { agreeToAll } from './agree.ts'
import { runBeside } from './ao-beside.ts'
import { runsHere } from './ao-here.ts'
import { createRepo, git } from './git-repo.ts'
import { createTempHome } from './temp-home.ts'

const NODE = process.execPath
const AO = new URL('../../dist/ao.js', import.meta.url).pathname

export interface RunResult {
  stdout: string
  stderr: string
  exitCode: number | null
  signal: NodeJS.Signals | null
}

export interface ListedSession {
  id: string
  status: string
  activity: string | null
  [key: string]: unknown
}

export interface AoHome {
  home: string
  env: NodeJS.ProcessEnv
  repo: string
  /** The built command, for tests that start it themselves. */
  program: string
  /** In a thread of the test; with variables, or where the command goes on, in a process of its own. */
  run(args: string[], env?: NodeJS.ProcessEnv, input?: string): RunResult
  /** The same, but a failure fails the test with the command's output. */
  ok(args: string[], input?: string): string
  spawn(prompt?: string): string
  list(): ListedSession[]
  worktree(id: string): string
  sessionFile(id: string): string
  /** As its file has it. */
  history(id: string): SessionEvent[]
  /** Clean ids of the tmux sessions on ao's own server. */
  tmuxSessions(): string[]
  worktrees(): string[]
  branches(): string[]
  stateDirs(): string[]
  archived(): string[]
  cleanup(): Promise<string[]>
}

export interface AoHomeOptions {
  /** Lines below `projects.app`. */
  projectYaml?: string
  files?: Record<string, string>
  runtime?: 'tmux' | 'process' | 'acp'
  /** Where an earlier one was. */
  at?: string | undefined
}

/** The default agent is `generic` running `cat`: it starts immediately, knows its prompt, and echoes what it receives. */
export async function createAoHome(options: AoHomeOptions = {}): Promise<AoHome> {
  const temp = createTempHome(options.at)
  const env = { ...temp.env, AO_NO_UPDATE_NOTIFIER: '1' }
  const repo = createRepo(join(temp.home, 'app'), env, options.files)
  const yaml =
    options.projectYaml ?? 'agent: generic\nagentConfig: { command: [sh, -c, exec cat, agent, "{promptFile}"] }'
  const configPath = join(repo, 'agent-orchestrator.yaml')
  writeFileSync(
    configPath,
    [
      `defaults: { runtime: ${options.runtime ?? 'tmux'} }`,
      'projects:',
      '  app:',
      '    path: .',
      ...yaml.split('\n').map((line) => `    ${line}`),
      '',
    ].join('\n'),
  )
  const run = (args: string[], more?: NodeJS.ProcessEnv, input?: string): RunResult =>
    more || !runsHere(args) ? runAlone(args, more, input) : runBeside(args, { env, repo, input })
  const runAlone = (args: string[], more?: NodeJS.ProcessEnv, input?: string): RunResult => {
    const done = spawnSync(NODE, [AO, ...args], {
      cwd: repo,
      env: { ...env, ...more },
      encoding: 'utf8',
      input: input ?? '',
      maxBuffer: 1 << 26,
      // The test's own limit does not end what it waits for here.
      timeout: 180_000,
      killSignal: 'SIGKILL',
    })
    return { stdout: done.stdout, stderr: done.stderr, exitCode: done.status, signal: done.signal }
  }
  const ok = (args: string[], input?: string): string => {
    const done = run(args, undefined, input)
    if (done.exitCode !== 0)
      throw new Error(`ao ${args.join(' ')} exited with ${done.exitCode}\n${done.stdout}\n${done.stderr}`)
    return done.stdout
  }
  await agreeToAll(configPath, { home: temp.home, env })
  const hash = hashConfigDir(repo)
  const projectDir = join(temp.home, '.agent-orchestrator', `${hash}-app`)
  const names = (path: string): string[] =>
    existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : []
  return {
    home: temp.home,
    env,
    repo,
    program: AO,
    run,
    ok,
    spawn: (prompt = 'work') =>
      (JSON.parse(ok(['spawn', '--prompt', prompt, '--json'])) as { session: { id: string } }).session.id,
    list: () => listed(ok(['session', 'ls', '--all', '--json'])),
    worktree: (id) => join(temp.home, '.worktrees', 'app', id),
    sessionFile: (id) => join(projectDir, 'sessions', id),
    history: (id) =>
      readFileSync(join(projectDir, 'history', `${id}.jsonl`), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as SessionEvent),
    tmuxSessions: () => tmuxSessions(env).map((name) => name.replace(`${hash}-`, '')),
    worktrees: () => names(join(temp.home, '.worktrees', 'app')),
    branches: () => git(repo, env, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n').sort(),
    stateDirs: () => names(join(projectDir, 'state')),
    archived: () => names(join(projectDir, 'sessions', 'archive')).map((name) => name.replace(/_\d{4}-.*$/, '')),
    cleanup: () => temp.cleanup(),
  }
}

function listed(json: string): ListedSession[] {
  const { sessions } = JSON.parse(json) as { sessions: ListedSession[] }
  return sessions.sort((a, b) => a.id.localeCompare(b.id, undefined, { numeric: true }))
}

function tmuxSessions(env: NodeJS.ProcessEnv): string[] {
  try {
    return execFileSync('tmux', ['-L', 'ao', 'list-sessions', '-F', '#{session_name}'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\n')
      .filter(Boolean)
  } catch {
    // No server: no sessions.
    return []
  }
}
