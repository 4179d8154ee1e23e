// What agh ends is its own: proven by marker, parent or session. Whatever else works in the workspace is named at most.
import { spawnSync } from 'node:child_process'
import { afterEach, expect, it } from 'vitest'
import { getSession, repairAll, stopSession } from '../../src/agh/runtime.ts'
import { identify, type ProcessIdentity, parseIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { SPAWN_MARKER } from '../../src/lib/process/process-tree.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

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
  await repairAll(context)
  await waitFor('the end of the agent', () => processState(agent) === 'dead')
  expect(processState(server)).toBe('alive')
  expect(await getSession(context, session.id)).toMatchObject({
    state: 'stopped',
    left_running: [{ pid: server.pid, command: 'sleep 74' }],
  })
})

/** A process without a parent in the workspace. */
function daemon(command: string, environment = ''): ProcessIdentity {
  const script = `${environment} setsid -f sh -c 'echo $$; exec ${command} >/dev/null 2>&1'`
  const { stdout } = spawnSync('sh', ['-c', script], { cwd: agh.workspace, encoding: 'utf8' })
  const identity = identify(Number(stdout))!
  strangers.push(identity)
  return identity
}
