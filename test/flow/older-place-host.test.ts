// A host of the version before runs in a place while home is upgraded: the session goes on, with its work and its messages.
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSession } from '../../src/plugins/place/home/create-session.ts'
import { destroySession } from '../../src/plugins/place/home/destroy-session.ts'
import type { PlaceContext } from '../../src/plugins/place/home/place-context.ts'
import { startLine } from '../../src/plugins/place/home/start-line.ts'
import { createAcpRuntime } from '../../src/plugins/runtime-acp/acp-runtime.ts'
import { sshEngine } from '../../src/plugins/runtime-ssh/ssh-engine.ts'
import { contextOf } from '../contract/runtime-world.ts'
import { aghBeside } from '../support/agh-daemon.ts'
import { createMachineHere, type MachineHere } from '../support/machine-here.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'

const FIXTURES = join(import.meta.dirname, '..', 'fixtures')
const BEFORE = join(FIXTURES, 'hosts-before', 'place-host.js.br')
const PIPE = join(FIXTURES, 'hosts-before', 'place-pipe.mjs.br')
const AGENT_HOST = join(FIXTURES, 'old-hosts', 'agent-host.cjs')
const CONFIG = `port: 0
defaults: { agent: demo, runtime: process }
places: { box: { type: ssh, host: box } }
projects:
  app: { path: ., place: box, tracker: local, scm: local, postCreate: ['echo made > made.txt'] }
`

let ao: AoWorld
let machine: MachineHere

beforeAll(buildAo)
beforeEach(async () => {
  ao = createAoWorld({ config: CONFIG })
  machine = createMachineHere(ao.temp)
  await ao.agree()
})
afterEach(async () => {
  for (const id of ['app-1', 'app-2']) await ao.ao(['session', 'kill', id, '--purge', '--force'])
  expect(await ao.temp.cleanup()).toEqual([])
})

interface Listed {
  sessions: Array<{ id: string; activity: string | null; pr: unknown }>
}

/** Where home put its own host, and would look for it. */
function replaceHost(): void {
  const directory = join(machine.root, '.ao-place')
  const set = readdirSync(directory).find((name) => name.startsWith('host-'))!
  writeFileSync(join(directory, set, 'host.js'), brotliDecompressSync(readFileSync(BEFORE)))
  copyFileSync(AGENT_HOST, join(directory, set, 'agent-host.cjs'))
}

it('is started, spoken to, asked for its work, and ended', async () => {
  const first = await ao.ao(['spawn', '--prompt', 'Bring the files there'])
  expect(first.stdout, first.stderr).toContain('SESSION=app-1')
  expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  replaceHost()

  const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-2')
  const session = async () => (await ao.json<Listed>(['status'])).sessions.find(({ id }) => id === 'app-2')
  await waitFor('the first turn', async () => {
    const now = await session()
    return now?.activity === 'ready' && now.pr !== null
  })
  machine.killAtHome('place-line')
  const sent = await ao.ao(['send', 'app-2', 'One more thing'])
  expect(sent.stdout, sent.stderr).toContain('seen by app-2')
  const worktree = join(ao.temp.home, '.worktrees', 'app', 'app-2')
  await waitFor('its work', () => existsSync(join(worktree, 'demo', 'app-2.md')))
  expect(readFileSync(join(worktree, 'made.txt'), 'utf8')).toBe('made\n')

  const killed = await ao.ao(['session', 'kill', 'app-2', '--purge'])
  expect(killed.code, killed.stderr).toBe(0)
  expect(machine.sessions()).toEqual([])
})

it('is read by a pipe, as that version did over ACP, through the lines of this one', async () => {
  expect((await ao.ao(['spawn', '--prompt', 'Bring the files there'])).stdout).toContain('SESSION=app-1')
  expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  replaceHost()
  const agh = aghBeside(ao.temp.home, ao.temp.env)
  const [stateDir, log] = [join(ao.temp.home, 'state'), join(ao.temp.home, 'heard.jsonl')]
  mkdirSync(stateDir)
  const { PATH = '', HOME = '' } = ao.temp.env
  const launch = {
    name: 'old-1',
    sessionId: 'old-1',
    spawnId: randomUUID(),
    stateDir,
    workspacePath: ao.repo,
    command: [process.execPath, testProgram('acp-program'), '--tui'],
    environment: { PATH, HOME, TUI_LOG: log },
  }
  const plugin = { ...contextOf(ao.temp), place: { name: 'box', overProtocol: true } }
  const options = { host: 'box', graceMs: 500 }
  const engine = sshEngine(options, ao.temp.env, ao.temp.home)
  const place: PlaceContext = { engine, type: 'ssh', options, name: 'box', graceMs: 500, plugin }
  const acp = createAcpRuntime({}, plugin)
  const pipe = join(ao.temp.home, 'place-pipe.mjs')
  writeFileSync(pipe, brotliDecompressSync(readFileSync(PIPE)))
  const command = [process.execPath, pipe, stateDir, launch.spawnId]
  const start = () => acp.create({ ...launch, command, environment: { PATH, HOME }, farWorkspace: ao.repo })
  const handle = await createSession(place, launch, start)
  const heard = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
  try {
    await acp.sendMessage(handle, 'one')
    machine.killAtHome('place-line')
    await agh.kill()
    await acp.sendMessage(handle, 'two')
    await startLine(plugin, launch)
    await waitFor('both', () => heard().length === 2)
    await waitFor('its answers', async () => /one.*two/s.test(await acp.getOutput(handle)))
    expect(heard().map((line) => JSON.parse(line).text)).toEqual(['one', 'two'])
  } finally {
    await acp.destroy(handle, { force: true })
    await destroySession(place, launch, { force: true })
    await agh.stop()
  }
  expect(machine.sessions()).toEqual([])
})
