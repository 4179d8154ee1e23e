// Pausing a sandbox of kubernetes-sigs/agent-sandbox: its pod is deleted, its volumes and its name stay; resuming makes another
// pod. v1beta1 calls it an operating mode, v1alpha1 a number of replicas.
import { AoError } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import { type Api, ApiError } from './api.ts'
import { findClaim, patchClaim } from './claim-sandbox.ts'
import { SPAWN_LABEL } from './pod-manifest.ts'
import type { Pod } from './pod-state.ts'

/** The newest first: a cluster may have both, and then converts one into the other. */
const VERSIONS = ['v1beta1', 'v1alpha1'] as const
type Version = (typeof VERSIONS)[number]

interface SandboxObject {
  metadata: { name: string; annotations?: Record<string, string> }
  spec?: { operatingMode?: string; replicas?: number }
}

interface Sandbox {
  version: Version
  name: string
  /** Of its pod, while it has one. */
  pod: string
  isPaused: boolean
}

const MODES: Readonly<Record<Version, (isPaused: boolean) => object>> = {
  v1beta1: (isPaused) => ({ operatingMode: isPaused ? 'Suspended' : 'Running' }),
  v1alpha1: (isPaused) => ({ replicas: isPaused ? 0 : 1 }),
}

/** Set for a pod that was adopted from a pool of pods; otherwise it has the name of its sandbox. */
const POD_NAME = 'agents.x-k8s.io/pod-name'

/** null: the claim or its sandbox no longer exists. */
export async function findSandbox(api: Api, claim: string): Promise<Sandbox | null> {
  const claimed = await findClaim(api, claim)
  if (claimed === null) return null
  for (const version of VERSIONS) {
    const found = await unlessMissing(api.ask<SandboxObject>('GET', sandboxPath(api, version, claimed.sandbox)))
    if (found === null) continue
    const { metadata, spec } = found
    return {
      version,
      name: metadata.name,
      pod: metadata.annotations?.[POD_NAME] || metadata.name,
      isPaused: version === 'v1beta1' ? spec?.operatingMode === 'Suspended' : spec?.replicas === 0,
    }
  }
  return null
}

/** `dryRun`: the cluster only says whether it would do it. */
export async function setPaused(
  api: Api,
  { version, name }: Sandbox,
  isPaused: boolean,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<void> {
  const query = dryRun ? '?dryRun=All' : ''
  await api.ask('PATCH', `${sandboxPath(api, version, name)}${query}`, { spec: MODES[version](isPaused) })
}

const ASK_EVERY_MS = 500

interface ResumeRequest {
  claim: string
  sandbox: Sandbox
  /** Of the pod that was deleted by the pause. */
  uid: string
  spawnId: string
  timeoutMs: number
}

/** Resolves with its new pod once that exists. The pod belongs to another launch from now on. */
export async function resumeSandbox(api: Api, request: ResumeRequest): Promise<Pod> {
  const { claim, sandbox, uid, spawnId, timeoutMs } = request
  await patchClaim(api, claim, {
    metadata: { labels: { [SPAWN_LABEL]: spawnId } },
    spec: { additionalPodMetadata: { labels: { [SPAWN_LABEL]: spawnId } } },
  })
  await setPaused(api, sandbox, false)
  const path = `/api/v1/namespaces/${encodeURIComponent(api.access.namespace)}/pods/${encodeURIComponent(sandbox.pod)}`
  for (const until = performance.now() + timeoutMs; ; ) {
    const pod = await unlessMissing(api.ask<Pod>('GET', path))
    if (pod && pod.metadata.uid !== uid && !pod.metadata.deletionTimestamp) return pod
    if (performance.now() > until) {
      throw new AoError(
        'PLACE_FULL',
        `The sandbox ${sandbox.name} has no pod ${timeoutMs / 1000} s after it was resumed`,
      )
    }
    await sleep(ASK_EVERY_MS)
  }
}

function sandboxPath({ access }: Api, version: Version, name: string): string {
  const namespace = encodeURIComponent(access.namespace)
  return `/apis/agents.x-k8s.io/${version}/namespaces/${namespace}/sandboxes/${encodeURIComponent(name)}`
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}
