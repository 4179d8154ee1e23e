// What happens to a session in a pod when something fails, and what is said about it: the table in docs/places.md.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { killWith } from './kill-with.ts'
import { type KubeCluster, startKube } from './kube-cluster.ts'
import { hostWords, type Listed, ready, session, startSession, why, worldWithPlaces } from './session-there.ts'

const endings: Array<() => Promise<unknown>> = []
let cluster: KubeCluster

beforeAll(buildAo)
beforeEach(async () => {
  cluster = await startKube()
})
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
  await cluster.stop()
})

const wanted = (places: string) => ({
  places,
  env: { KUBECONFIG: cluster.kubeconfig },
  onEnd: (end: () => Promise<unknown>) => void endings.push(end),
})
const inPod = () => startSession(wanted('{ there: { type: kubernetes, image: agents:1, namespace: agents } }'))
const ended = (ao: AoWorld) => waitFor('the end', async () => (await session(ao)).activity === 'exited', 90_000)

describe('in a pod', () => {
  it('lives there, its work comes home, and nothing is left', async () => {
    const ao = await inPod()
    const sent = await ao.ao(['send', 'app-1', 'One more thing'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
    expect(await why(ao)).toMatch(/it runs in there \(kubernetes agents\/ao-.*connected/)
    expect((await ao.ao(['place', 'test', 'there'])).stdout).toMatch(/Kubernetes v1\.34\.2/)
    const killed = await ao.ao(['session', 'kill', 'app-1'])
    expect(killed.code, killed.stderr).toBe(0)
    expect(await cluster.pods()).toEqual([])
  })

  it('the line at home is killed: the next command opens another, and a message arrives once', async () => {
    const ao = await inPod()
    killWith('place-line', ao.temp.home)
    const sent = await ao.ao(['send', 'app-1', 'After the loss'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
    await ready(ao)
    expect((await ao.ao(['session', 'show', 'app-1'])).stdout).toContain('After the loss')
  })

  it('the exec stream is cut: another one is opened, and everything continues', async () => {
    const ao = await inPod()
    await cluster.test('cut')
    const sent = await ao.ao(['send', 'app-1', 'After the cut'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  })

  it('nothing answers for 60 seconds: unknown meanwhile, then everything continues', async () => {
    const ao = await inPod()
    await cluster.test('freeze')
    await waitFor('the loss', async () => /not connected/.test(await why(ao)), 60_000)
    const refused = await ao.ao(['send', 'app-1', 'Into the void'])
    expect(refused.stdout).not.toContain('seen by')
    await pause(60_000)
    expect((await session(ao)).activity).not.toBe('exited')
    await cluster.test('thaw')
    await waitFor('the line', async () => /, connected since/.test(await why(ao)), 90_000)
    const sent = await ao.ao(['send', 'app-1', 'Back again'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  }, 300_000)

  it('the host there is killed: the session ends, its work is home, and it can be restored', async () => {
    const ao = await inPod()
    killWith(hostWords(ao))
    await ended(ao)
    expect(await why(ao)).toMatch(/home has its work as of/)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
  })

  it('the pod is evicted: that is what is said, and restore starts another', async () => {
    const ao = await inPod()
    const message = 'The node was low on resource: memory.'
    await cluster.test('status', { status: { phase: 'Failed', reason: 'Evicted', message } })
    await cluster.test('kill')
    await ended(ao)
    expect(await why(ao)).toMatch(/was evicted by its node: The node was low on resource/)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
    expect(readdirSync(join(ao.temp.home, '.worktrees', 'app', 'app-1', 'demo'))).toEqual(['app-1.md'])
  })

  it('the node is lost: unknown, never dead; the session continues elsewhere with its work', async () => {
    const ao = await inPod()
    await cluster.test('status', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })
    await cluster.test('kill')
    await waitFor('the loss', async () => /node node-1 does not answer/.test(await why(ao)), 60_000)
    expect((await session(ao)).activity).not.toBe('exited')
    const moved = await ao.ao(['session', 'move', 'app-1', '--here', '--force'], { timeoutMs: 110_000 })
    expect(moved.code, moved.stderr).toBe(0)
    expect((await session(ao)).place).toBeNull()
    await ao.ao(['session', 'kill', 'app-1'])
  }, 200_000)

  it('what cannot start is one clear error each, and leaves nothing there', async () => {
    const ao = await worldWithPlaces(
      wanted(`
  bare: { type: kubernetes }
  image: { type: kubernetes, image: missing/agents:1 }
  big: { type: kubernetes, image: agents:1, cpus: 99, startSeconds: 2 }
  stranger: { type: kubernetes, image: agents:1, context: stranger }`),
    )
    const refusal = async (place: string) => (await ao.ao(['spawn', '--prompt', 'x', '--place', place])).stderr
    expect(await refusal('bare')).toMatch(/has no image/)
    expect(await refusal('image')).toMatch(/image of agent could not be pulled/)
    expect(await refusal('big')).toMatch(/waits: no node takes it[\s\S]*did not start within 2 s/)
    expect(await refusal('stranger')).toMatch(/does not accept your credentials/)
    expect((await ao.ao(['doctor'])).stdout).toMatch(/stranger.*credentials/)
    expect((await ao.json<Listed>(['status'])).sessions).toEqual([])
    expect(await cluster.pods()).toEqual([])
  })
})

describe('in a sandbox', () => {
  const inSandbox = () =>
    startSession(wanted('{ there: { type: kubernetes, sandboxPool: agents, namespace: agents } }'))
  const claims = () => cluster.test<string[]>('claims')
  const run = async (ao: AoWorld, ...argv: string[]) => {
    const done = await ao.ao(argv, { timeoutMs: 110_000 })
    expect(done.code, done.stderr).toBe(0)
    return done.stdout
  }

  it('is paused with its work at home, and the next message continues it in the same sandbox', async () => {
    const ao = await inSandbox()
    const [claim] = await claims()
    expect(await run(ao, 'session', 'pause', 'app-1')).toContain('paused app-1')
    await run(ao, 'session', 'pause', 'app-1')
    expect(await cluster.pods()).toEqual([])
    expect(await claims()).toEqual([claim])
    expect(await session(ao)).toMatchObject({ status: 'killed', activity: 'exited', paused: expect.any(String) })
    expect(await why(ao)).toMatch(/it is paused in there \(kubernetes agents\/.*its disk is kept/)
    expect((await ao.ao(['session', 'ls'])).stdout).toMatch(/app-1 +killed +paused/)
    expect(readdirSync(join(ao.temp.home, '.worktrees', 'app', 'app-1', 'demo'))).toEqual(['app-1.md'])
    expect(await run(ao, 'send', 'app-1', 'One more thing')).toContain('seen by app-1')
    await ready(ao)
    expect(await claims()).toEqual([claim])
    expect(await session(ao)).not.toHaveProperty('paused')
    await run(ao, 'session', 'pause', 'app-1')
    await run(ao, 'session', 'kill', 'app-1')
    expect(await claims()).toEqual([])
  }, 200_000)

  it('somebody else pauses it: that is what is said, and restore continues it there; a move gives it back', async () => {
    const ao = await inSandbox()
    const [claim] = await claims()
    await cluster.test('pauseSandbox')
    await ended(ao)
    expect(await why(ao)).toMatch(/its sandbox \S+ was paused/)
    await run(ao, 'session', 'restore', 'app-1')
    await ready(ao)
    expect(await claims()).toEqual([claim])
    await run(ao, 'session', 'pause', 'app-1')
    await run(ao, 'session', 'move', 'app-1', '--here')
    expect(await claims()).toEqual([])
    expect((await ao.ao(['session', 'pause', 'app-1'])).stderr).toContain('runs in process, which cannot pause it')
    await ao.ao(['session', 'kill', 'app-1'])
  }, 200_000)
})
