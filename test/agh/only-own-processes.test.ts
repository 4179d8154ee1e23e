// What agh ends is its own: proven by marker, parent or session. Whatever else works in the workspace is named at most.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import {
  getSession,
  listSessions,
  readHookRuns,
  readRecent,
  readUsage,
  startRepairs,
  stopSession,
} from '../../src/agh/runtime.ts'
import { repairUnwritten } from '../../src/agh/session/repair-session.ts'
import { identify, type ProcessIdentity, parseIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { SPAWN_MARKER } from '../../src/lib/process/process-tree.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { killHost } from './host-of.ts'

let agh: AghHome
const strangers: ProcessIdentity[] = []
afterEach(async () => {
  for (const { pid } of strangers.splice(0)) process.kill(pid, 'SIGKILL')
  expect(await agh.cleanup()).toEqual([])
})

it('a stop ends neither a server of a person, nor a scrubbed process, nor a child of another session', async () => {
  agh = createAghHome()
  const [session, other] = [await agh.create(), await agh.create()]
  const [server, scrubbed] = [daemon('sleep 71'), daemon('sleep 72', 'env -i')]
  const ofOther = daemon('sleep 73', `env -i ${SPAWN_MARKER}=${other.process?.spawn_id}`)
  const stopped = await stopSession(agh.context, session.id, null)
  expect(strangers.map(processState)).toEqual(['alive', 'alive', 'alive'])
  expect(ofOther.pid).toBeGreaterThan(0)
  const expected = [
    { pid: server.pid, command: 'sleep 71' },
    { pid: scrubbed.pid, command: 'sleep 72' },
  ]
  expect(stopped).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled', left_running: expected })
  expect((await agh.events(session.id)).at(-1)?.content).toMatchObject({ left_running: expected })
  await stopSession(agh.context, other.id, null)
})

it('so does the repair after a crash of the daemon', async () => {
  agh = createAghHome()
  const session = await agh.create()
  const server = daemon('sleep 74', 'env -i')
  const agent = parseIdentity(session.process!.identity!)!
  const context = agh.restart()
  await killHost(context.paths, session.id)
  await startRepairs(context).ready()
  await waitFor('the end of the agent', () => processState(agent) === 'dead')
  expect(processState(server)).toBe('alive')
  expect(await getSession(context, session.id)).toMatchObject({
    state: 'stopped',
    left_running: [{ pid: server.pid, command: 'sleep 74' }],
  })
})

it('reading a session that a killed daemon left writes nothing and ends nothing; a command that acts on it repairs it', async () => {
  agh = createAghHome()
  const { id, process: started } = await agh.create()
  const agent = parseIdentity(started!.identity!)!
  const meta = join(agh.context.paths.sessions, id, 'meta.json')
  const before = readFileSync(meta, 'utf8')
  const context = agh.restart()
  const events = await agh.events(id)
  expect(events.at(-1)?.type).toBe('session_started')
  expect(await getSession(context, id)).toMatchObject({
    state: 'active',
    health: { state: 'detached', health: 'unknown' },
  })
  expect((await listSessions(context)).sessions).toMatchObject([{ id, state: 'active' }])
  expect([await readRecent(context, id, 5), await readUsage(context, id), await readHookRuns(context, id)]).toEqual([
    expect.any(Array),
    [],
    [],
  ])
  expect([readFileSync(meta, 'utf8'), await agh.events(id), processState(agent)]).toEqual([before, events, 'alive'])
  await killHost(context.paths, id)
  expect(await stopSession(context, id, null)).toMatchObject({ state: 'stopped', stop_reason: 'agent_crashed' })
  expect(processState(agent)).toBe('dead')
})

it('a stop of a session that outlived its daemon adopts it first, and ends it as any other', async () => {
  agh = createAghHome()
  const { id, process: started } = await agh.create()
  expect(await stopSession(agh.restart(), id, null)).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
  expect(processState(parseIdentity(started!.identity!)!)).toBe('dead')
})

it('an end that cannot be written is shown to readers all the same, and written by the next repair', async () => {
  agh = createAghHome()
  const { id } = await agh.create()
  const context = agh.context
  const sessions = join(context.paths.sessions, id)
  const live = context.live.get(id)!
  await live.store.close()
  const stopped = await stopSession(context, id, 'enough')
  expect(stopped).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
  expect(JSON.parse(readFileSync(join(sessions, 'meta.json'), 'utf8'))).toMatchObject({ state: 'stopping' })
  expect((await listSessions(context)).sessions).toMatchObject([{ id, state: 'stopped', stop_reason: 'user_canceled' }])
  await repairUnwritten(context)
  expect(JSON.parse(readFileSync(join(sessions, 'meta.json'), 'utf8'))).toMatchObject({
    state: 'stopped',
    stop_reason: 'user_canceled',
  })
  expect((await agh.events(id)).at(-1)?.type).toBe('session_stopped')
})

/** A process without a parent in the workspace. */
function daemon(command: string, environment = ''): ProcessIdentity {
  const script = `${environment} setsid -f sh -c 'echo $$; exec ${command} >/dev/null 2>&1'`
  const { stdout } = spawnSync('sh', ['-c', script], { cwd: agh.workspace, encoding: 'utf8' })
  const identity = identify(Number(stdout))!
  strangers.push(identity)
  return identity
}
