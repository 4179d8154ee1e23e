// Gates beside an agent, with the real host in a directory of this machine: what a place adds is the channel, which is a pipe here.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openGates } from '../../src/landing/checks/project-gates.ts'
import { parseIdentity } from '../../src/lib/process/process-identity.ts'
import { openFarCheckout } from '../../src/plugins/place/home/far-checkout.ts'
import { removeLineFiles, writeLineSpec } from '../../src/plugins/place/home/line-files.ts'
import type { PlaceContext } from '../../src/plugins/place/home/place-context.ts'
import { programChannel } from '../../src/plugins/place/reach/program-channel.ts'
import { startHostThere } from '../../src/plugins/place/reach/reach-host.ts'
import type { SessionPlace } from '../../src/slots/far-checkout.ts'
import type { Channel, PlaceEngine, PlaceState } from '../../src/slots/place.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const FILES = join(import.meta.dirname, '..', '..', 'dist', 'far')
const HOST = [process.execPath, join(FILES, 'host.js')]
const CONNECT = [process.execPath, join(FILES, 'connect.cjs')]
const NAMES = { name: 'h-app-1', spawnId: 'spawn-1', ref: 'here' }

let world: ForgeWorld
let channels: Channel[]
let state: PlaceState
let directory: string
let stateDir: string
let engine: PlaceEngine

beforeAll(buildAo)
beforeEach(async () => {
  world = createForgeWorld()
  channels = []
  state = { state: 'up' }
  directory = join(world.temp.home, 'place')
  stateDir = join(world.temp.home, 'state')
  mkdirSync(stateDir)
  engine = {
    channel: async (_ref: string, command: readonly string[]) => {
      const channel = programChannel(command, world.temp.env)
      channels.push(channel)
      return channel
    },
    probe: async () => state,
  } as unknown as PlaceEngine
  await startHostThere(engine, { ...NAMES, host: HOST, directory })
  const more = { sessionId: 'app-1', engine: 'test', options: {}, configDir: '/', socket: '', home: null }
  writeLineSpec(stateDir, { ...NAMES, ...more, host: HOST, connect: CONNECT, directory })
})
afterEach(async () => {
  killHost('SIGTERM')
  await waitFor('the end of the host', () => !existsSync(join(directory, 'host.id')))
  await world.cleanup()
})

function killHost(signal: NodeJS.Signals): void {
  const file = join(directory, 'host.id')
  const identity = existsSync(file) ? parseIdentity(readFileSync(file, 'utf8').trim()) : null
  if (identity !== null) process.kill(identity.pid, signal)
}

const session = (): SessionPlace => ({
  kind: 'place',
  place: 'cage',
  checkOut: (request) => openFarCheckout({ engine, name: 'cage' } as PlaceContext, { ...NAMES, stateDir }, request),
})

/** The gates of one pull request whose head has this file. */
async function gatesOf(run: string, where?: 'place' | 'home' | 'either') {
  await world.push('feat/a', 'a.txt', 'committed\n')
  const [head, from] = ['feat/a', 'main'].map((name) => world.git('rev-parse', name)) as [string, string]
  const projectDir = join(world.temp.home, 'data')
  const project = { ...world.project, gates: [{ name: 'text', run, timeout: 20, where }] }
  const gates = openGates({ project, projectDir, env: world.context.env, requireTrust: () => undefined })!
  const held: string[] = []
  const abort = new AbortController()
  const ask = { head, from, signal: abort.signal, onHeld: (_check: string, why: string) => void held.push(why) }
  return {
    ...{ held, abort, gates },
    run: (place: SessionPlace = session()) => gates.run({ ...ask, of: { sessionId: 'app-1', session: place } }),
    read: async () => (await gates.read({ head }))[0]!,
    tree: world.git('rev-parse', 'feat/a^{tree}'),
  }
}

const started = () => waitFor('the gate there', () => existsSync(join(world.temp.home, 'started')))
/** Runs until the test says otherwise. */
const UNTIL_GO = 'echo x >> "$HOME/started"; until [ -e "$HOME/go" ]; do sleep 0.05; done; cat a.txt'
const go = () => writeFileSync(join(world.temp.home, 'go'), '')
const runs = () => readFileSync(join(world.temp.home, 'started'), 'utf8').trim().split('\n').length

describe('gates of a session in a place', () => {
  it('run there on the exact commit, and what passed beside the agent does not count for a car of the train', async () => {
    const one = await gatesOf('echo "in $PWD with $CI, $SECRET"; git rev-parse HEAD; cat a.txt; exit 3')
    world.temp.env.SECRET = 'of the place'
    expect(await one.run()).toBe('done')
    const check = await one.read()
    expect(check).toMatchObject({ status: 'failed', note: 'in cage' })
    const log = one.gates.log(check, 10_000)
    expect(log).toMatch(/in .*\/place\/gates\/[\w-]+\/work with true, \n[0-9a-f]{40}\ncommitted\n.*exited with 3/)
    // Nothing is left there, and nothing runs again.
    expect([readdirSync(directory).includes('gates'), await one.run()]).toEqual([false, 'done'])
    const passing = await gatesOf('cat a.txt')
    expect([await passing.run(), (await passing.read()).status]).toEqual(['done', 'passed'])
    expect(passing.gates.onCars(1)!.resultOf(passing.tree)).toBeNull()
  })

  it('run once though the line is cut, and a host that is killed leaves the gate open, never green', async () => {
    const one = await gatesOf(UNTIL_GO)
    const running = one.run()
    await started()
    for (const channel of channels) channel.close()
    go()
    expect([await running, (await one.read()).status, runs()]).toEqual(['done', 'passed', 1])

    const other = await gatesOf(`: again; rm -f "$HOME/go"; ${UNTIL_GO}`)
    const lost = other.run()
    await waitFor('the second gate', () => runs() === 2)
    killHost('SIGKILL')
    await startHostThere(engine, { ...NAMES, host: HOST, directory })
    expect(await lost).toBe('held')
    expect(await other.read()).toMatchObject({ status: 'pending', note: expect.stringContaining('no longer known') })
    // The new host ended what the old one left.
    expect(execFileSync('ps', ['-e', '-o', 'args'], { encoding: 'utf8' })).not.toContain(`: again; rm -f "$HOME/go"`)
    const again = other.run()
    await waitFor('the third gate', () => runs() === 3)
    go()
    expect([await again, (await other.read()).status]).toEqual(['done', 'passed'])
  })

  it('end there when nobody is waiting for them', async () => {
    const one = await gatesOf(UNTIL_GO)
    const running = one.run()
    await started()
    one.abort.abort()
    expect([await running, await one.read()]).toMatchObject(['done', { status: 'pending' }])
    await waitFor('an empty place', () => !existsSync(join(directory, 'gates')))
  })

  it('stay open with a reason when the place is gone or cannot be reached, and run here only where that is allowed', async () => {
    const [strict, either] = [await gatesOf('cat a.txt'), await gatesOf('cat a.txt; true', 'either')]
    const { probe } = engine
    engine.channel = async () => programChannel(['false'], world.temp.env)
    expect([await strict.run(), await strict.run(), strict.held]).toEqual(['held', 'held', [expect.any(String)]])
    expect(strict.held[0]).toMatch(/cage cannot be reached/)
    expect([await either.run(), (await either.read()).status]).toEqual(['held', 'pending'])
    state = { state: 'gone', why: 'somebody removed it' }
    expect(await strict.run()).toBe('held')
    expect((await strict.read()).note).toMatch(
      /cage is gone: somebody removed it; .*ao session restore app-1, .*either/,
    )
    expect([await either.run(), await either.read()]).toMatchObject(['done', { status: 'passed' }])
    expect((await either.read()).note).toBeUndefined()
    removeLineFiles(stateDir, NAMES.spawnId)
    expect([await strict.run(), (await strict.read()).note]).toEqual(['held', expect.stringContaining('given back')])
    engine.probe = probe
  })
})
