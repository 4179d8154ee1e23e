// A repository that somebody else wrote, and everything in which an effect of its file would show: a program that leaves a
// mark, a host that hears connections, issues that wait for agents, sessions, the base branch.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { COMMANDS } from '../../src/cli/ao/commands.ts'
import type { Command } from '../../src/cli/command.ts'
import { run } from '../../src/cli/run.ts'
import { createFakeIo } from '../support/fake-io.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome } from '../support/temp-home.ts'

export type CanaryWorld = Awaited<ReturnType<typeof createCanaryWorld>>

/** A command that hangs because of what the file says would be a defect of its own. */
const LONGEST_MS = 20_000

export async function createCanaryWorld() {
  const temp = createTempHome()
  const repo = createRepo(join(temp.home, 'app'), temp.env)
  const mark = join(temp.home, 'mark')
  const program = join(repo, 'evil.sh')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 1\n`, { mode: 0o755 })
  writeFileSync(
    join(repo, 'evil.mjs'),
    `import { appendFileSync } from 'node:fs'\nappendFileSync('${mark}', 'module')\n`,
  )
  writeFileSync(join(repo, 'ssh.conf'), `Host *\n  ProxyCommand ${program}\n`)
  let connections = 0
  const listener = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as { port: number }
  writeFileSync(join(repo, 'kube.json'), kubeconfig(program, port))
  git(repo, temp.env, 'add', '--all')
  git(repo, temp.env, 'commit', '--quiet', '-m', 'traps')
  const head = git(repo, temp.env, 'rev-parse', 'main')
  const env = { ...temp.env, SECRET: 'sk-of-the-user', GITHUB_TOKEN: 'ghp_user', EDITOR: 'true', BROWSER: 'true' }

  function configure(file: unknown): string {
    const path = join(repo, 'agent-orchestrator.yaml')
    writeFileSync(path, JSON.stringify(file))
    return path
  }

  /** In this process: a hundred commands in seconds. */
  async function ao(argv: readonly string[]): Promise<{ code: number; text: string }> {
    const stop = new AbortController()
    const fake = createFakeIo({ env, home: temp.home, cwd: repo, stopped: stop.signal })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<number>((resolve) => {
      timer = setTimeout(() => resolve(-1), LONGEST_MS)
    })
    const code = await Promise.race([run(COMMANDS, argv, fake.io), late])
    clearTimeout(timer)
    stop.abort()
    return { code, text: fake.stdout() + fake.stderr() }
  }

  /** What would not be there if nothing had run, been reached, started or merged. */
  function effects(): string[] {
    return [
      ...(existsSync(mark) ? [`a program ran: ${readFileSync(mark, 'utf8').trim()}`] : []),
      ...(connections > 0 ? [`${connections} connections were opened`] : []),
      ...(git(repo, temp.env, 'rev-parse', 'main') === head ? [] : ['the base branch moved']),
    ]
  }

  /** Each effect is blamed on one command. */
  function forget(): void {
    rmSync(mark, { force: true })
    connections = 0
  }

  function sessions(): string[] {
    const data = join(temp.home, '.agent-orchestrator')
    if (!existsSync(data)) return []
    return readdirSync(data)
      .map((name) => join(data, name, 'sessions'))
      .filter((path) => existsSync(path))
      .flatMap((path) => readdirSync(path))
      .filter((name) => /^app-\d+$/.test(name))
  }

  return {
    ...{ temp, repo, env, program, port, configure, ao, effects, forget, sessions },
    async close() {
      await new Promise((resolve) => listener.close(resolve))
      await temp.cleanup()
    },
  }
}

function kubeconfig(command: string, port: number): string {
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'evil' },
    contexts: [{ name: 'evil', context: { cluster: 'evil', user: 'evil' } }],
    clusters: [{ name: 'evil', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'evil', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args: [] } } }],
  })
}

/** Why a command is not run here. Everything else is, with arguments made from its description. */
const NOT_HERE: Readonly<Record<string, string>> = {
  start: 'it starts a process of its own; the loop is run beside this',
  dashboard: 'it serves until it is stopped; its routes are asked beside this',
  'service install': 'it changes the services of the machine that the test runs on',
  'service uninstall': 'the same',
  'config trust': 'it is the consent itself; without --yes it is run below',
  'config set': 'it is a person who writes the file',
  'config unset': 'the same',
  'config undo': 'the same',
  init: 'it replaces the file',
  simulate: 'a world of its own, in which nothing is real; it takes a minute',
  __docs: 'it writes the documentation of this repository',
}

export interface CommandLine {
  name: string
  argv: string[]
}

/** Every command of the table that can be run in a test; a new one is there by itself. */
export async function commandLines(): Promise<CommandLine[]> {
  const lines = await Promise.all(
    COMMANDS.filter(({ name }) => !Object.hasOwn(NOT_HERE, name)).map(async ({ name, load }) => {
      const command = (await load()) as Command
      return { name, argv: [...name.split(' '), ...argumentsOf(command)] }
    }),
  )
  return [...lines, { name: 'config trust', argv: ['config', 'trust'] }, { name: 'doctor', argv: ['doctor', '--fix'] }]
}

function argumentsOf({ name, args, options }: Command): string[] {
  if (name === 'gh') return ['pr', 'list']
  if (name === 'completion') return ['bash']
  // Without a file it is the repository's own.
  if (name === 'config validate') return []
  const given = Object.entries(args).map(([key, { completes }]) => {
    if (completes === 'session') return 'app-1'
    if (completes === 'file') return 'README.md'
    if (Array.isArray(completes)) return String(completes[0])
    return key === 'place' ? 'far' : '1'
  })
  // Nothing here waits for what does not come.
  return [...given, ...('timeout' in options ? ['--timeout', '1s'] : [])]
}
