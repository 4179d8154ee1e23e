// N3: a repository whose file names the program, the machine or the cluster that agents run on. Nothing of it is started or
// reached before the user has agreed to it, also not by commands that only read.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/ao/commands.ts'
import { run } from '../../src/cli/run.ts'
import { createFakeIo } from '../support/fake-io.ts'
import { createRepo } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let repo: string
let canary: string
let heard: number
let attacker: Server
beforeEach(async () => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'app'), temp.env)
  canary = join(temp.home, 'canary')
  heard = 0
  attacker = createServer((socket) => {
    heard++
    socket.destroy()
  })
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await new Promise((resolve) => attacker.close(resolve))
  expect(await temp.cleanup()).toEqual([])
})

const program = () => write('evil', `#!/bin/sh\necho "$0 $*" >> '${canary}'\nexit 1\n`, 0o755)
const port = () => (attacker.address() as { port: number }).port

function write(name: string, text: string, mode = 0o644): string {
  const path = join(repo, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** By engine: options that start a program of the repository or reach its host. */
const ENGINES: Record<string, () => Record<string, unknown>> = {
  docker: () => ({ image: 'x', command: program() }),
  'docker elsewhere': () => ({ image: 'x', host: `tcp://127.0.0.1:${port()}` }),
  ssh: () => ({ host: 'evil', configFile: write('sshc', `Host *\n  ProxyCommand ${program()}\n`) }),
  'ssh elsewhere': () => ({ host: '127.0.0.1', port: port(), user: 'x' }),
  kubernetes: () => ({ image: 'x', kubeconfig: write('kc', kubeconfig(program())) }),
  slurm: () => ({ sbatch: [`--wrap=${program()}`], directory: repo }),
}

const kubeconfig = (command: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'evil',
    contexts: [{ name: 'evil', context: { cluster: 'evil', user: 'evil' } }],
    clusters: [{ name: 'evil', cluster: { server: `http://127.0.0.1:${port()}` } }],
    users: [{ name: 'evil', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args: [] } } }],
  })

function configure(engine: string, where: 'plugins' | 'places'): void {
  const [type] = engine.split(' ')
  const options = ENGINES[engine]!()
  const file =
    where === 'plugins'
      ? { plugins: { runtime: { name: type, config: options } }, defaults: { agent: 'demo', runtime: type } }
      : { places: { far: { type, ...options } }, defaults: { agent: 'demo', runtime: 'far' } }
  write('agent-orchestrator.yaml', JSON.stringify({ ...file, projects: { app: { path: '.' } } }))
}

async function ao(...argv: string[]) {
  const fake = createFakeIo({ env: temp.env, home: temp.home, cwd: repo })
  const code = await run(COMMANDS, argv, fake.io)
  return { code, text: fake.stdout() + fake.stderr() }
}

const READING = [
  ['doctor'],
  ['doctor', '--fix'],
  ['status'],
  ['session', 'ls'],
  ['place', 'ls'],
  ['config', 'validate'],
]
const ACTING = [
  ['spawn', '--prompt', 'x'],
  ['place', 'test', 'far'],
  ['session', 'cleanup'],
  ['config', 'trust'],
]

describe.each(Object.keys(ENGINES))('%s, named by a repository', (engine) => {
  it.each(['plugins', 'places'] as const)('is neither started nor reached before consent, below %s', async (where) => {
    configure(engine, where)
    const lines: string[] = []
    for (const line of [...READING, ...ACTING]) lines.push((await ao(...line)).text)
    expect(existsSync(canary)).toBe(false)
    expect(heard).toBe(0)
    expect(lines[0]).toMatch(/WARN .*: not checked: you have not agreed to its options yet\n.*ao config trust/)
  })
})
