// The Kubernetes engine over the wire, against a server that speaks the API (test/fixtures/kube-api.mjs).
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runThere } from '../../src/plugins/place/reach/run-there.ts'
import { kubernetesEngine } from '../../src/plugins/runtime-kubernetes/kubernetes-engine.ts'
import type { KubernetesOptions } from '../../src/plugins/runtime-kubernetes/options.ts'
import type { PlaceEngine } from '../../src/slots/place.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'
import { type KubeCluster, startKube } from './kube-cluster.ts'

let cluster: KubeCluster
let temp: TempHome
beforeAll(async () => {
  cluster = await startKube()
  temp = createTempHome()
})
afterAll(async () => {
  await cluster.stop()
  await temp.cleanup()
})
afterEach(async () => {
  for (const pod of await cluster.pods()) await cluster.test('vanish', { pod })
})

const reports: string[] = []
function open(options: Partial<KubernetesOptions> = {}): PlaceEngine {
  const env = { ...temp.env, KUBECONFIG: cluster.kubeconfig }
  return kubernetesEngine({ image: 'agents:1', startSeconds: 20, ...options }, env, temp.home, (text) =>
    reports.push(text),
  )
}
const launch = () => ({ name: 'a1b2-App_1', spawnId: randomUUID() })

describe('a pod', () => {
  it('is started, found again, and given back; nothing of it is left', async () => {
    const engine = open({ context: 'plugged' })
    const made = launch()
    const ref = await engine.start(made)
    expect(await engine.probe(ref)).toEqual({ state: 'up' })
    expect(await engine.list()).toEqual([{ ref, ...made }])
    await engine.stop(ref)
    expect(await engine.probe(ref)).toMatchObject({ state: 'gone', why: expect.stringMatching(/was deleted/) })
    expect(await engine.list()).toEqual([])
    await engine.stop(ref)
  })

  it('runs programs with their streams, and their exit codes come back', async () => {
    const engine = open()
    const ref = await engine.start(launch())
    const bytes = Buffer.alloc(3_000_000, 'abc\0\n')
    const echoed = await engine.channel(ref, ['cat'])
    const chunks: Buffer[] = []
    echoed.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    Readable.from([bytes]).pipe(echoed.stdin)
    expect(await echoed.ended).toMatchObject({ exitCode: 0 })
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
    const failed = await runThere(await engine.channel(ref, ['sh', '-c', 'echo odd >&2; exit 9']))
    expect(failed).toMatchObject({ ok: false, exitCode: 9, stderr: 'odd' })
    const wording = await runThere(await engine.channel(ref, ['printf', '%s|', "it's", 'a b', '$HOME', '']))
    expect(wording.stdout).toBe("it's|a b|$HOME||")
  })

  it('is followed through a forgotten version (410), a busy server (429) and a stream that ends', async () => {
    await cluster.test('fail', {
      failures: [
        {
          on: '^POST .*/pods',
          status: 429,
          reason: 'TooManyRequests',
          message: 'slow down',
          headers: { 'retry-after': '0' },
        },
        { on: 'watch=1', status: 410, reason: 'Expired', message: 'too old' },
        { on: 'watch=1', status: 500, reason: 'InternalError', message: 'etcd' },
      ],
    })
    await open().start(launch())
    const requests = await cluster.test<string[]>('asked')
    expect(requests.filter((line) => /^GET .*pods\?fieldSelector=[^&]*$/.test(line)).length).toBeGreaterThan(1)
  })

  it('of another cluster is not taken for one that was deleted', async () => {
    const engine = open()
    const ref = await engine.start(launch())
    await expect(engine.probe(ref.replace(/@.*/, '@10.0.0.1:6443'))).rejects.toThrow(
      /is in the cluster 10\.0\.0\.1:6443/,
    )
    const other = ref.replace(/\/[^/]*@/, `/${randomUUID()}@`)
    expect(await engine.probe(other)).toMatchObject({ state: 'gone' })
    await engine.stop(other)
    expect(await cluster.pods()).toHaveLength(1)
  })
})

describe('a sandbox', () => {
  it.each([
    ['template', { sandboxTemplate: 'agents' }],
    ['warm pool', { sandboxPool: 'agents' }],
  ])('is claimed from its %s, found again by its pod, and given back', async (_from, options) => {
    const engine = open({ image: undefined, ...options })
    const made = launch()
    const ref = await engine.start(made)
    expect(await engine.list()).toEqual([{ ref, ...made }])
    expect((await runThere(await engine.channel(ref, ['echo', 'in']))).stdout).toBe('in\n')
    await engine.stop(ref)
    expect(await engine.probe(ref)).toMatchObject({ state: 'gone' })
    expect(await cluster.test('claims')).toEqual([])
  })

  it.each([
    ['v1alpha1', { sandboxTemplate: 'agents' }],
    ['v1beta1', { sandboxPool: 'agents' }],
  ])('is paused and resumed with its disk, for another launch (%s)', async (version, options) => {
    await cluster.test('claimVersions', { versions: [version] })
    const engine = open({ image: undefined, ...options })
    const first = launch()
    const ref = await engine.start(first)
    await runThere(await engine.channel(ref, ['sh', '-c', 'echo kept > "$HOME/note"']))
    await engine.pause!(ref, { dryRun: true })
    expect(await engine.probe(ref)).toEqual({ state: 'up' })
    await engine.pause!(ref)
    await engine.pause!(ref)
    expect(await cluster.pods()).toEqual([])
    const why = expect.stringMatching(/^its sandbox \S+ was paused$/)
    expect(await engine.probe(ref)).toEqual({ state: 'gone', why, paused: true })
    const second = launch()
    const resumed = await engine.resume!(ref, second)
    expect(await engine.list()).toEqual([{ ref: resumed, ...second }])
    expect((await runThere(await engine.channel(resumed!, ['sh', '-c', 'cat "$HOME/note"']))).stdout).toBe('kept\n')
    await engine.pause!(resumed!)
    await engine.stop(resumed!)
    expect(await cluster.test('claims')).toEqual([])
    expect(await engine.resume!(resumed!, launch())).toBeNull()
    await cluster.test('claimVersions', { versions: ['v1alpha1', 'v1beta1'] })
  })

  it('that cannot be paused says so before anything ends; one that cannot be resumed is paused again', async () => {
    const engine = open({ image: undefined, sandboxPool: 'agents' })
    const ref = await engine.start(launch())
    const forbidden = { status: 403, reason: 'Forbidden', message: 'cannot patch resource "sandboxes"' }
    await cluster.test('fail', { failures: [{ on: '^PATCH .*dryRun=All', ...forbidden }] })
    await expect(engine.pause!(ref, { dryRun: true })).rejects.toThrow('The cluster forbids it: cannot patch')
    expect(await engine.probe(ref)).toEqual({ state: 'up' })
    await engine.pause!(ref)
    await cluster.test('fail', { failures: [{ on: '^GET .*/pods/', status: 500, reason: 'X', message: 'etcd' }] })
    await expect(engine.resume!(ref, launch())).rejects.toThrow('etcd')
    await waitFor('no pod', async () => (await cluster.pods()).length === 0)
    expect(await engine.probe(ref)).toMatchObject({ state: 'gone', paused: true })
    await engine.stop(ref)
    expect(await cluster.test('claims')).toEqual([])
    expect(open().pause).toBeUndefined()
  })

  it('of a template that does not exist is refused, and nothing is left', async () => {
    const engine = open({ sandboxTemplate: 'nosuch' })
    await expect(engine.start(launch())).rejects.toThrow('The sandbox was refused: SandboxTemplate "nosuch" not found')
    const other = open({ sandboxPool: 'nosuch' })
    await expect(other.start(launch())).rejects.toThrow('The sandbox was refused: SandboxWarmPool "nosuch" not found')
    expect(await cluster.test('claims')).toEqual([])
  })

  it('in a version that the cluster does not have is refused with the other one, and one that was upgraded is given back', async () => {
    const engine = open({ image: undefined, sandboxTemplate: 'agents' })
    const ref = await engine.start(launch())
    await cluster.test('claimVersions', { versions: ['v1beta1'] })
    await expect(engine.start(launch())).rejects.toMatchObject({
      message: 'The cluster has no SandboxClaim of the version v1alpha1',
      hint: expect.stringContaining('sandboxPool'),
    })
    await engine.stop(ref)
    expect(await cluster.test('claims')).toEqual([])
    await cluster.test('claimVersions', { versions: ['v1alpha1', 'v1beta1'] })
  })
})

describe('the end of a pod is explained', () => {
  it.each([
    [
      'evicted',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      /was evicted by its node: The node was low/,
    ],
    [
      'preempted',
      { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }], phase: 'Failed' },
      /was preempted/,
    ],
    [
      'out of memory',
      {
        phase: 'Failed',
        containerStatuses: [{ name: 'agent', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }],
      },
      /for lack of memory/,
    ],
  ])('%s', async (_what, status, wording) => {
    const engine = open()
    const ref = await engine.start(launch())
    await cluster.test('status', { status })
    expect(await engine.probe(ref)).toEqual({ state: 'gone', why: expect.stringMatching(wording) })
  })

  it('a lost node is not an end', async () => {
    const engine = open()
    const ref = await engine.start(launch())
    await cluster.test('status', {
      status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
    })
    expect(await engine.probe(ref)).toEqual({
      state: 'unknown',
      why: expect.stringMatching(/node node-1 does not answer/),
    })
  })

  it('a program in it that is cut off has no exit code', async () => {
    const engine = open()
    const channel = await engine.channel(await engine.start(launch()), ['sleep', '60'])
    await cluster.test('cut')
    expect(await channel.ended).toMatchObject({ exitCode: null })
  })
})

describe('a start that fails says why, and leaves nothing', () => {
  it.each<[string, Partial<KubernetesOptions>, string, RegExp]>([
    [
      'image',
      { image: 'missing/agents:1' },
      'PLACE_FAILED',
      /could not be pulled: Back-off pulling image "missing\/agents:1"/,
    ],
    ['room', { cpus: 99, startSeconds: 1 }, 'PLACE_FULL', /no node takes it: 0\/3 nodes are available/],
    ['no image', { image: undefined }, 'PLACE_FAILED', /has no image/],
    ['credentials', { context: 'stranger' }, 'PLACE_UNREACHABLE', /does not accept your credentials/],
    ['context', { context: 'nosuch' }, 'PLACE_UNREACHABLE', /no context nosuch/],
    ['kubeconfig', { kubeconfig: '/nowhere/config' }, 'PLACE_UNREACHABLE', /no kubeconfig at \/nowhere\/config/],
    ['template', { template: '/nowhere/pod.yaml' }, 'PLACE_FAILED', /pod template \/nowhere\/pod\.yaml cannot be read/],
  ])('%s', async (_what, options, code, wording) => {
    const failed = open(options).start(launch())
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(wording) })
    await waitFor('an empty cluster', async () => (await cluster.pods()).length === 0)
  })

  it('quota', async () => {
    const message = 'pods "x" is forbidden: exceeded quota: team, requested: pods=1, used: pods=5, limited: pods=5'
    await cluster.test('fail', { failures: [{ on: '^POST', status: 403, reason: 'Forbidden', message }] })
    await expect(open().start(launch())).rejects.toMatchObject({
      code: 'PLACE_FULL',
      message: expect.stringMatching(/quota is used up/),
    })
  })

  it('too old a cluster', async () => {
    const engine = open()
    const ref = await engine.start(launch())
    await cluster.test('protocols', { protocols: ['v4.channel.k8s.io'] })
    await expect(engine.channel(ref, ['true'])).rejects.toThrow(/too old/)
    await cluster.test('protocols', { protocols: ['v5.channel.k8s.io'] })
  })
})

describe('a place', () => {
  it('is checked: the server, the namespace and the rights', async () => {
    expect(await open().check()).toMatch(/^Kubernetes v1\.34\.2 at 127\.0\.0\.1:\d+, namespace agents$/)
    await cluster.test('deny', { rights: ['patch sandboxes', 'create sandboxclaims'] })
    expect(await open().check()).not.toContain('paused')
    await expect(open({ sandboxPool: 'agents' }).check()).rejects.toThrow('You may not create sandboxclaims in')
    await cluster.test('allow', { rights: ['create sandboxclaims'] })
    expect(await open({ sandboxPool: 'agents' }).check()).toMatch(
      /cannot be paused, because you may not patch sandboxes$/,
    )
    await cluster.test('deny', { rights: ['delete pods', 'create pods exec'] })
    await expect(open().check()).rejects.toThrow('You may not delete pods, create pods/exec in the namespace agents')
  })

  it('takes a template, and keeps what it needs', async () => {
    const template = join(temp.home, 'pod.yaml')
    writeFileSync(
      template,
      'metadata: { labels: { team: a } }\nspec: { restartPolicy: Always, containers: [{ name: box, image: tpl:1 }] }\n',
    )
    const ref = await open({ image: undefined, template, cpus: 2 }).start(launch())
    expect(ref).toMatch(/^agents\/ao-a1b2-app-1-[0-9a-f]{10}\/box\//)
  })
})
