// One red button: every agent is stopped where it is, nothing begins, and resuming lets exactly those go on.
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { findBySpawnMarker } from '../../src/lib/process/process-tree.ts'
import { canPreload, createPreload } from '../faults/preload.ts'
import { endAll } from '../faults/snapshots.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `port: 0
lifecycle: { pollSeconds: 1 }
defaults: { agent: demo, notifiers: [] }
projects:
${['tmux', 'process', 'acp'].map((runtime) => `  ${runtime}: { path: ., runtime: ${runtime}, tracker: local, scm: local, sessionPrefix: ${runtime} }`).join('\n')}
`
const RUNTIMES = ['tmux', 'process', 'acp'] as const

let world: AoWorld
let beside: AghBeside

beforeAll(() => buildAo(), 60_000)
beforeEach(() => {
  world = createAoWorld({ config: CONFIG })
  beside = aghBeside(world.temp.home, world.temp.env)
})
afterEach(async () => {
  await world.ao(['resume'])
  await world.ao(['stop', '--sessions'])
  await beside.stop()
  expect(await world.temp.cleanup()).toEqual([])
})

interface Listed {
  sessions: Array<{ id: string; activity: string; status: string; paused?: string }>
  notices: string[]
}

const status = () => world.json<Listed>(['status'])
const activities = async () => Object.fromEntries((await status()).sessions.map(({ id, activity }) => [id, activity]))
const started = async (project: string, script: string) => {
  const { stdout, stderr } = await world.ao(['spawn', '-p', project, '--prompt', `demo: ${script}`])
  expect(stdout, stderr).toContain(`SESSION=${project}-1`)
  await waitFor('its turn', async () => (await activities())[`${project}-1`] === 'active')
}

/** Letters of /proc: T is stopped. */
const statesOf = async (project: string) => {
  const { session } = await world.json<{ session: { metadata: Record<string, string> } }>([
    'session',
    'show',
    `${project}-1`,
  ])
  return findBySpawnMarker(session.metadata.spawnId!).map(({ pid }) => ({
    pid,
    state: readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0],
  }))
}

it('stops agents on every runtime within moments, lets nothing begin, and lets the same processes go on', async () => {
  for (const runtime of RUNTIMES) await started(runtime, 'think 600')
  const before = await Promise.all(RUNTIMES.map(statesOf))
  const paused = await world.json<{ paused: { stopped: Array<{ sessionId: string }> }; notStopped: unknown[] }>([
    'pause',
    '--reason',
    'look at this',
  ])
  expect(paused.notStopped).toEqual([])
  expect(paused.paused.stopped.map(({ sessionId }) => sessionId).sort()).toEqual(['acp-1', 'process-1', 'tmux-1'])
  for (const runtime of ['process', 'acp'])
    expect(new Set((await statesOf(runtime)).map(({ state }) => state)), runtime).toEqual(new Set(['T']))
  // tmux lets nobody be stopped: the turn is over instead.
  expect((await activities())['tmux-1']).toBe('ready')
  expect((await status()).notices[0]).toContain('look at this')
  expect((await status()).sessions.every(({ paused }) => paused !== undefined)).toBe(true)
  expect((await world.ao(['status'])).stdout.match(/ paused +paused /g)).toHaveLength(3)
  expect((await world.ao(['why', 'process-1'])).stdout).toMatch(
    /paused \S+ ago by .*: look at this; it goes on with: ao resume/,
  )
  const sent = await world.ao(['send', 'process-1', 'one more thing'])
  expect(sent.stdout).toContain('held for process-1: ao is paused')
  expect(sent.stderr).toMatch(/ao session messages process-1\n.*once that is over/)
  for (const command of [
    ['spawn', '--prompt', 'x', '-p', 'process'],
    ['session', 'restore', 'process-1'],
  ])
    expect((await world.ao(command)).stderr, command.join(' ')).toContain('Everything is paused')
  expect((await world.ao(['session', 'interrupt', 'process-1'])).stderr).toContain('it is stopped where it is')
  const resumed = await world.json<{ continued: string[]; restored: string[] }>(['resume'])
  expect([resumed.continued.toSorted(), resumed.restored]).toEqual([['acp-1', 'process-1', 'tmux-1'], []])
  const after = await Promise.all(RUNTIMES.map(statesOf))
  expect(after.map((family) => family.map(({ pid }) => pid))).toEqual(
    before.map((family) => family.map(({ pid }) => pid)),
  )
  expect(after.flat().every(({ state }) => state !== 'T')).toBe(true)
  await waitFor('the turn of the one in tmux', async () => (await activities())['tmux-1'] === 'active')
  expect((await world.ao(['resume'])).stdout).toContain('Nothing is paused')
  for (const runtime of RUNTIMES) {
    const stopped = await world.ao(['session', 'interrupt', `${runtime}-1`])
    expect(stopped.stdout, stopped.stderr).toContain(`the turn of ${runtime}-1 was stopped`)
    await waitFor('its end', async () => (await activities())[`${runtime}-1`] !== 'active')
  }
  expect((await world.ao(['session', 'interrupt', 'tmux-1'])).stderr).toContain('its agent is not in a turn (ready)')
})

/** Every process of this HOME at once, and then another boot of the machine: what a command after it is started with. */
async function reboot(): Promise<NodeJS.ProcessEnv> {
  await endAll(world.temp.home)
  const directory = join(world.temp.home, 'faults')
  mkdirSync(directory)
  const boot = join(directory, 'boot')
  writeFileSync(boot, '00000000-0000-4000-8000-000000000001\n')
  // With what makes programs follow it, whatever environment they are started with.
  return { ...createPreload(directory, directory).env, AO_FAULT_BOOT: boot }
}

it.skipIf(!canPreload)('is carried out by the loop where the command was killed, and outlives a reboot', async () => {
  for (const runtime of RUNTIMES) await started(runtime, 'think 600')
  expect((await world.ao(['start'])).code).toBe(0)
  // All that a command leaves that is killed after its first write.
  const file = join(world.temp.home, '.agent-orchestrator', 'paused.json')
  const order = { state: 'paused', at: new Date().toISOString(), by: 'somebody', stopped: [] }
  writeFileSync(file, JSON.stringify(order))
  await waitFor('the loop to stop it', async () => (await statesOf('process')).every(({ state }) => state === 'T'))
  await waitFor(
    'the turns',
    () => JSON.parse(readFileSync(file, 'utf8')).stopped.filter(({ inTurn }: { inTurn?: true }) => inTurn).length === 3,
  )
  await world.ao(['session', 'kill', 'process-1'])
  const env = await reboot()
  const before = await world.json<Listed>(['status'], { env })
  expect(before.notices[0]).toContain('Everything is paused')
  expect(before.sessions.map(({ activity }) => activity)).toEqual(['exited', 'exited', 'exited'])
  const resumed = await world.json<{ restored: string[]; failed: unknown[] }>(['resume'], { env })
  expect([resumed.restored.toSorted(), resumed.failed], 'the third was ended by a person').toEqual([
    ['acp-1', 'tmux-1'],
    [],
  ])
  for (const id of resumed.restored) {
    const history = globSync(`.agent-orchestrator/*/history/${id}.jsonl`, { cwd: world.temp.home })
    const events = readFileSync(join(world.temp.home, history[0]!), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(
      events.filter(({ type, source }) => type === 'message.queued' && source === 'resume'),
      id,
    ).toHaveLength(1)
  }
  expect(readdirSync(join(world.temp.home, '.agent-orchestrator'))).not.toContain('paused.json')
  await world.ao(['stop', '--sessions'], { env })
  await endAll(world.temp.home)
})

it('holds although its file is damaged: only a person lets work go on', async () => {
  mkdirSync(join(world.temp.home, '.agent-orchestrator'), { recursive: true })
  writeFileSync(join(world.temp.home, '.agent-orchestrator', 'paused.json'), '{"state":"pau')
  expect((await world.ao(['spawn', '--prompt', 'x', '-p', 'process'])).stderr).toContain('Everything is paused')
  expect((await world.ao(['resume'])).stdout).toContain('Resumed')
  expect((await world.ao(['pause', '--until', 'yesterday'])).stderr).toContain('--until takes')
  expect((await world.ao(['pause', '--until', '2020-01-01'])).stderr).toContain('in the future')
  expect((await world.ao(['resume'])).stdout).toContain('Nothing is paused')
})

it('stops every agent although its file claims to be of a newer program, and says that', async () => {
  expect((await world.ao(['spawn', '--prompt', 'demo: think 600', '-p', 'process'])).code).toBe(0)
  const file = join(world.temp.home, '.agent-orchestrator', 'paused.json')
  writeFileSync(file, '{"version":9}')
  expect((await world.ao(['pause'])).stderr).toContain('of version 9')
  const paused = await world.ao(['status'])
  expect(paused.stdout).toMatch(/paused/i)
  rmSync(file)
  await world.ao(['pause'])
  expect((await world.ao(['resume'])).stdout).toContain('Resumed')
})
