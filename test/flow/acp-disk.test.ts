// The limit of the disk for event logs: only when it is configured, only of archived sessions, and each history says so.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { openHistory } from '../../src/agh/store/open-history.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

const CONFIG = `defaults: { runtime: acp, notifiers: [] }
projects:
  app: { path: ., agent: demo, tracker: local, scm: { plugin: local } }
`
let world: AoWorld
let beside: AghBeside

beforeAll(() => buildAo(), 60_000)
beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  beside = aghBeside(world.temp.home, world.temp.env)
  await world.agree()
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  await beside.stop()
  expect(await world.temp.cleanup()).toEqual([])
})

interface Freed {
  removed: Array<{ what: string; session: string; bytes: number }>
}

const ok = async (...args: string[]) => {
  const { code, stdout, stderr } = await world.ao(args)
  expect(`${code} ${code === 0 ? '' : stderr}`).toBe('0 ')
  return stdout
}
const free = async (...more: string[]) =>
  (await world.json<Freed>(['disk', '--free', 'limits', ...more])).removed.filter(({ what }) => what === 'event log')

/** As if its agent had talked for days. */
async function talkLong(aghId: string, lastBytes = 1_000): Promise<void> {
  const file = logOf(aghId)
  const store = await openHistory(file, { clock: systemClock, floor: 0, onFailure: () => undefined })
  for (let n = 0; n < 1_500; n++)
    store.append({ turn_id: 'turn-x', type: 'agent_message', content: { text: 'x'.repeat(1_000) } })
  store.append({ turn_id: 'turn-x', type: 'agent_message', content: { text: 'x'.repeat(lastBytes) } })
  await store.close()
}

const aghIdOf = (session: string) =>
  beside.sessions().find(({ driver }) => driver!.key.replace(/^[0-9a-f]+-/, '') === session)!.id

async function limitTo(megabytes: number): Promise<void> {
  const config = join(world.repo, 'agent-orchestrator.yaml')
  writeFileSync(config, `${readFileSync(config, 'utf8')}disk: { eventLogsMb: ${megabytes} }\n`)
  await world.agree()
}

const logOf = (aghId: string) => join(world.temp.home, '.agh/sessions', aghId, 'events.db')

const spawned = async () => {
  const { session } = await world.json<{ session: { id: string } }>(['spawn', '--prompt', 'demo: finish done'])
  return session.id
}

it('drops nothing without a limit, and beyond one the beginnings of those that were archived first', async () => {
  const [old, young, active] = [await spawned(), await spawned(), await spawned()]
  for (const id of [old, young]) await ok('session', 'kill', id, '--purge')
  const [oldLog, youngLog, activeLog] = [old, young, active].map(aghIdOf)
  for (const id of [oldLog, youngLog]) await talkLong(id!)
  const sizes = () => [oldLog, youngLog, activeLog].map((id) => statSync(logOf(id!)).size)
  const before = sizes()
  expect(await free('--dry-run')).toEqual([])
  await limitTo(2)
  expect(await free('--dry-run')).toMatchObject([{ session: old }])
  expect(sizes()).toEqual(before)
  // The daemon that has to do it is started when it is not running.
  await ok('stop', '--sessions')
  await beside.stop()
  expect(await free()).toMatchObject([{ session: old, what: 'event log' }])
  const after = sizes()
  expect([after[0]! < 300_000, after[1]]).toEqual([true, before[1]])
  expect(await ok('events', old)).toContain('its event log was dropped to keep the disk within its limits')
  expect(beside.agh('session', 'events', oldLog!, '--last', '1000')).toMatch(/first \d+ events were dropped/)
  expect((await world.ao(['doctor', '--verify'])).stdout).not.toMatch(/event log of/)
  expect(await free()).toEqual([])
  await ok('session', 'restore', old)
}, 120_000)

it('goes on after one that cannot be dropped, says so, and notes only what went, once', async () => {
  const [stuck, large] = [await spawned(), await spawned()]
  for (const id of [stuck, large]) {
    await ok('session', 'kill', id, '--purge')
    // Its last event alone is beyond what a small log has.
    await talkLong(aghIdOf(id), 400_000)
  }
  mkdirSync(`${logOf(aghIdOf(stuck))}.salvaging`)
  await limitTo(0)
  const freed = async () => {
    const { code, stdout } = await world.ao(['disk', '--free', 'limits', '--json'])
    const { removed, problems } = JSON.parse(stdout) as Freed & { problems: unknown[] }
    return { code, removed: removed.filter(({ what }) => what === 'event log'), problems }
  }
  const before = statSync(logOf(aghIdOf(large))).size
  const first = await freed()
  const problems = [{ session: stuck, what: 'event log', why: expect.any(String) }]
  expect(first).toMatchObject({ code: 1, removed: [{ session: large, what: 'event log' }], problems })
  expect(first.removed[0]!.bytes).toBeLessThan(before - statSync(logOf(aghIdOf(large))).size + 200_000)
  expect(await freed()).toMatchObject({ code: 1, removed: [], problems })
  expect((await world.ao(['disk', '--free', 'limits'])).stdout).toContain(`could not drop the event log of ${stuck}`)
  const notes = async (id: string) => (await ok('events', id)).split('its event log was dropped').length - 1
  expect([await notes(stuck), await notes(large)]).toEqual([0, 1])
}, 120_000)
