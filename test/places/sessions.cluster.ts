// Sessions in the pods of a real cluster: wherever KUBECONFIG points to. See docs/places.md.
// The runtime suite of the small cluster (kubernetes.places.ts) compares files and process ids of this machine, so it is not part of it.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { kubernetesEngine } from '../../src/plugins/runtime-kubernetes/kubernetes-engine.ts'
import { type AoWorld, buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { killWith } from './kill-with.ts'
import { ready, session, startSession, why } from './session-there.ts'

const {
  KUBECONFIG = `${process.env.HOME}/.kube/config`,
  AO_CLUSTER_IMAGE: image,
  AO_CLUSTER_TEMPLATE: template,
} = process.env
const namespace = process.env.AO_CLUSTER_NAMESPACE
const whyNot = image === undefined && template === undefined ? 'set AO_CLUSTER_IMAGE to an image with git' : null

const endings: Array<() => Promise<unknown>> = []
beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

describe.skipIf(whyNot !== null)(`in a pod of the cluster${whyNot ? ` (${whyNot})` : ''}`, () => {
  const options = {
    ...(image ? { image } : {}),
    ...(template ? { template } : {}),
    ...(namespace ? { namespace } : {}),
  }

  async function inPod(): Promise<AoWorld> {
    const places = `{ there: ${JSON.stringify({ type: 'kubernetes', ...options })} }`
    const ao = await startSession({ places, env: { KUBECONFIG }, onEnd: (end) => void endings.push(end) })
    endings.push(() => ao.ao(['session', 'kill', 'app-1', '--force'], { timeoutMs: 120_000 }))
    return ao
  }
  const engineOf = (ao: AoWorld) =>
    kubernetesEngine({ ...options, startSeconds: 300 }, { ...process.env, KUBECONFIG }, ao.temp.home)

  it('lives there, survives the loss of its line, and leaves nothing', async () => {
    const ao = await inPod()
    killWith('place-line', ao.temp.home)
    const sent = await ao.ao(['send', 'app-1', 'After the loss'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
    expect(await why(ao)).toMatch(/, connected since/)
    const killed = await ao.ao(['session', 'kill', 'app-1'], { timeoutMs: 120_000 })
    expect(killed.code, killed.stderr).toBe(0)
    expect(await engineOf(ao).list()).toEqual([])
  })

  it('its pod is deleted: ended with the reason, and restore starts another', async () => {
    const ao = await inPod()
    const [pod] = await engineOf(ao).list()
    await engineOf(ao).stop(pod!.ref)
    await waitFor('the end', async () => (await session(ao)).activity === 'exited', 120_000)
    const restored = await ao.ao(['session', 'restore', 'app-1'], { timeoutMs: 300_000 })
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
  })
})
