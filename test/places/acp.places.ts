// Agents in places that speak the Agent Client Protocol, from `ao spawn` to `ao session kill`: agh drives them from home.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startEngine, whyNoDocker } from './docker-daemon.ts'
import { killWith } from './kill-with.ts'
import { startMachine, type TestMachine, whyNoSsh } from './ssh-machine.ts'

const endings: Array<() => Promise<unknown>> = []

beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

interface Listed {
  sessions: Array<{ id: string; status: string; activity: string; place: string; runtime: string; pr: unknown }>
}

interface World {
  ao: AoWorld
  agh: AghBeside
}

async function world(place: string): Promise<World> {
  const ao = createAoWorld({
    config: `port: 0
defaults: { agent: demo, runtime: acp }
places: { there: ${place} }
projects:
  app: { path: ., place: there, tracker: local, scm: local }
`,
  })
  endings.push(async () => expect(await ao.temp.cleanup()).toEqual([]))
  const agh = aghBeside(ao.temp.home, ao.temp.env)
  endings.push(() => agh.stop())
  await ao.ao(['config', 'trust', '--yes'])
  return { ao, agh }
}

async function spawn(ao: AoWorld, ...script: string[]): Promise<void> {
  const spawned = await ao.ao(['spawn', '--prompt', script.map((line) => `demo: ${line}`).join('\n')])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
}

const session = async (ao: AoWorld) => (await ao.json<Listed>(['status'])).sessions[0]!
const until = (ao: AoWorld, activity: string) =>
  waitFor(
    activity,
    async () => (await session(ao)).activity === activity || (await ao.ao(['why'])).stdout,
    40_000,
  ).then((state) => expect(state).toBe(true))
const worktree = ({ temp }: AoWorld) => join(temp.home, '.worktrees', 'app', 'app-1')

async function send(ao: AoWorld, text: string): Promise<void> {
  const sent = await ao.ao(['send', 'app-1', text])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
}

/** Each message and each answer exactly once, in the log that agh keeps. */
function saidOnce({ agh }: World, ...texts: string[]): void {
  const { id } = agh.sessions()[0]!
  const history = agh.agh('session', 'history', id)
  for (const word of texts) expect(history.split(word).length - 1, `${word} in:\n${history}`).toBe(1)
}

interface There {
  left(): string[]
  /** A shell command in the place; its output. */
  run(command: string): string
}

async function live(here: World, there: There, cut: (() => () => void) | null): Promise<void> {
  const { ao, agh } = here
  await spawn(
    ao,
    ...['append notes one', 'commit First', 'pr The notes', 'permission delete everything'],
    ...['append notes two', 'finish done'],
  )
  await until(ao, 'waiting_input')
  expect(await session(ao)).toMatchObject({ place: 'there', runtime: 'acp@there', pr: expect.anything() })
  expect((await ao.ao(['session', 'show', 'app-1'])).stdout).toMatch(/asks +answer with: .*\n +delete everything/)
  expect((await ao.json(['session', 'approve', 'app-1'])).code).toBe(0)
  await until(ao, 'ready')
  await waitFor('the uncommitted work at home', () => readFileSync(join(worktree(ao), 'notes'), 'utf8').includes('two'))

  // The daemon dies in the middle of a turn; the next one finds the agent.
  await send(ao, 'demo: wait 3\ndemo: say after the daemon\ndemo: finish done')
  await agh.kill()
  await until(ao, 'ready')
  const { id } = agh.sessions()[0]!
  await waitFor('the answer', () => agh.agh('session', 'history', id).includes('after the daemon'))

  // Lines die all the time.
  killWith('place-line', ao.temp.home)
  await send(ao, 'demo: say after the line')
  await until(ao, 'ready')
  if (cut) await cutOff(here, cut)
  saidOnce(here, 'say after the daemon', 'say after the line')

  const killed = await ao.ao(['session', 'kill', 'app-1'])
  expect(killed.code, killed.stderr).toBe(0)
  expect(there.left()).toEqual([])
  const restored = await ao.ao(['session', 'restore', 'app-1'])
  expect(restored.code, restored.stderr).toBe(0)
  // The agent's own conversation is continued, in the same session of agh.
  await send(ao, 'demo: say after the restore')
  await until(ao, 'ready')
  saidOnce(here, 'say after the line', 'say after the restore')
  expect(agh.sessions()).toHaveLength(1)
  const log = there.run('cat ~/.ao-place/s/*/state/demo-session.jsonl')
  expect(log).toContain('say after the line')
  expect(log.match(/"resumed":false/g)).toHaveLength(1)
  expect((await ao.ao(['session', 'kill', 'app-1', '--purge'])).code).toBe(0)
  expect(there.left()).toEqual([])
}

async function cutOff({ ao, agh }: World, cut: () => () => void): Promise<void> {
  await send(ao, 'demo: wait 20\ndemo: say during the cut\ndemo: append notes three\ndemo: finish done')
  const mend = cut()
  await waitFor('the loss', async () => /not connected/.test((await ao.ao(['why', 'app-1'])).stdout), 60_000)
  expect((await session(ao)).status).not.toMatch(/killed|errored|done/)
  expect((await ao.ao(['send', 'app-1', 'Into the void'])).stdout).not.toContain('seen by')
  await pause(60_000)
  mend()
  await waitFor('the line', async () => /, connected since/.test((await ao.ao(['why', 'app-1'])).stdout), 60_000)
  const { id } = agh.sessions()[0]!
  await waitFor('what was said meanwhile', () => agh.agh('session', 'history', id).includes('during the cut'), 30_000)
  await until(ao, 'ready')
  await waitFor('its work', () => readFileSync(join(worktree(ao), 'notes'), 'utf8').includes('three'))
  await send(ao, 'demo: say back again')
  saidOnce({ ao, agh }, 'say during the cut', 'say back again')
  expect(agh.agh('session', 'history', id)).not.toContain('Into the void')
}

const noDocker = whyNoDocker()
describe.skipIf(noDocker !== null)(`over ACP in a container${noDocker ? ` (${noDocker})` : ''}`, () => {
  it('lives there: questions, messages, the death of the daemon and of the line, kill and restore', async () => {
    const engine = await startEngine()
    endings.push(() => engine.stop())
    const here = await world(`{ type: docker, image: '${engine.image}', host: '${engine.host}', network: none }`)
    const run = (command: string) => engine.run(['exec', engine.containers()[0]!, 'sh', '-c', command])
    await live(here, { left: () => engine.containers(), run }, null)
  })

  it('the container is gone: that is known with its reason, and restore starts another', async () => {
    const engine = await startEngine()
    endings.push(() => engine.stop())
    const { ao } = await world(`{ type: docker, image: '${engine.image}', host: '${engine.host}', network: none }`)
    await spawn(ao, 'append notes one', 'finish done')
    await until(ao, 'ready')
    await waitFor('the work at home', () => readdirSync(worktree(ao)).includes('notes'))
    engine.removeAll()
    await until(ao, 'exited')
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await until(ao, 'ready')
    expect(readFileSync(join(worktree(ao), 'notes'), 'utf8')).toContain('one')
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  })
})

const noSsh = whyNoSsh()
describe.skipIf(noSsh !== null)(`over ACP on a machine${noSsh ? ` (${noSsh})` : ''}`, () => {
  async function onMachine(): Promise<{ here: World; machine: TestMachine }> {
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    return { here: await world(`{ type: ssh, host: box, configFile: '${machine.configFile}' }`), machine }
  }

  it('lives there, also through 60 seconds without a connection', async () => {
    const { here, machine } = await onMachine()
    const left = () => machine.run('ls ~/.ao-place/s').split('\n').filter(Boolean)
    await live(here, { left, run: (command) => machine.run(command) }, () => {
      machine.cut()
      return () => machine.mend()
    })
    await machine.die()
  }, 300_000)

  it('has three programs of ours between agh and its agent: the lines at home, the host there, and its connection', async () => {
    const { here, machine } = await onMachine()
    await spawn(here.ao, 'append notes one', 'finish done')
    await until(here.ao, 'ready')
    const inHome = `grep -lsz '^HOME=${here.ao.temp.home}$' /proc/[0-9]*/environ | cut -d/ -f3 | xargs ps -o args= -p`
    const running = `${execFileSync('sh', ['-c', inHome], { encoding: 'utf8' })}${machine.run('ps -eo args=')}`
    const ours = running.split('\n').flatMap((line) => (/^ssh/.test(line) ? [] : (line.match(/[\w-]+\.c?js\b/) ?? [])))
    expect(ours.sort()).toEqual(['agh.js', 'connect.cjs', 'host.js', 'place-lines.js'])
    expect((await here.ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    await machine.die()
  })

  it('the host there is killed: the agent ends with it, and a restore continues where it was', async () => {
    const { here, machine } = await onMachine()
    await spawn(here.ao, 'append notes one', 'finish done')
    await until(here.ao, 'ready')
    machine.killAll('serve ')
    await until(here.ao, 'exited')
    expect(readFileSync(join(worktree(here.ao), 'notes'), 'utf8')).toContain('one')
    const restored = await here.ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await send(here.ao, 'demo: say after the host\ndemo: append notes two')
    await until(here.ao, 'ready')
    saidOnce(here, 'say after the host')
    expect((await here.ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    await machine.die()
  })
})
