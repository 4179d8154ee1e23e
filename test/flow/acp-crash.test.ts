// kill -9 of ao after every step that involves the runtime, with sessions on agh: the next command finds what was left and
// finishes it or rolls it back. agh stays alive meanwhile and has no session that ao does not know.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failpointsIn } from '../../torture/failpoints.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { buildAo } from '../support/run-ao.ts'
import { testProgram } from '../support/test-program.ts'

const PROGRAM = testProgram('acp-program')
const NAMES = failpointsIn(['manager']).filter((name) => !/\.(?:set-up|waits|start-announced)$/.test(name))

let ao: AoHome
let beside: AghBeside

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  const command = JSON.stringify([process.execPath, PROGRAM, 'cat'])
  ao = await createAoHome({ runtime: 'acp', projectYaml: `agent: generic\nagentConfig: { command: ${command} }` })
  beside = aghBeside(ao.home, ao.env)
})

afterEach(async () => {
  await beside.stop()
  expect(await ao.cleanup()).toEqual([])
})

/** Clean ids of what agh runs. */
function running(): string[] {
  const live = beside.sessions().filter(({ state }) => state !== 'stopped')
  return live.map(({ driver }) => driver!.key.replace(/^[0-9a-f]+-/, '')).sort()
}

describe('kill -9 of a spawn', () => {
  it.each(NAMES.filter((name) => name.startsWith('spawn.')))('%s', (point) => {
    const crashed = ao.run(['spawn', '--prompt', 'first', '--json'], { AO_FAILPOINT: point })
    expect(crashed.signal).toBe('SIGKILL')
    const next = ao.spawn()
    const isKept = ao.list().some(({ id }) => id === 'app-1' && id !== next)
    const kept = isKept ? ['app-1', next] : [next]
    expect(ao.list().map(({ id, status }) => [id, status])).toEqual(kept.map((id) => [id, 'working']))
    expect(running()).toEqual(kept.sort())
    expect(ao.worktrees().sort()).toEqual(kept.sort())
    // An agent that already ran is kept; before that nothing stays.
    expect(isKept).toBe(['spawn.runtime-started', 'spawn.recorded'].includes(point))
  })
})

describe('kill -9 of a kill', () => {
  it.each(['kill.announced', 'kill.runtime-stopped'])('%s', (point) => {
    const id = ao.spawn()
    expect(ao.run(['session', 'kill', id], { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
    const next = ao.spawn()
    expect(ao.list().map((one) => [one.id, one.status])).toEqual([
      [id, 'killed'],
      [next, 'working'],
    ])
    expect(running()).toEqual([next])
  })
})

describe('kill -9 of a restore', () => {
  const points = ['restore.old-runtime-gone', 'restore.agent-prepared', 'restore.runtime-started', 'restore.recorded']
  it.each(points)('%s', (point) => {
    expect(NAMES).toContain(point)
    const id = ao.spawn()
    ao.ok(['session', 'kill', id])
    expect(ao.run(['session', 'restore', id], { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
    const next = ao.spawn()
    if (ao.list().find((one) => one.id === id)?.status !== 'working') ao.ok(['session', 'restore', id])
    expect(ao.list().map((one) => [one.id, one.status])).toEqual([
      [id, 'working'],
      [next, 'working'],
    ])
    expect(running()).toEqual([id, next].sort())
    // Still the one that it was from the beginning.
    expect(beside.sessions()).toHaveLength(2)
  })
})
