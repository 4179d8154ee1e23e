// A pod of kubernetes-sigs/agent-sandbox: we claim one, its controller makes or adopts the pod. A claim of v1alpha1 names a
// SandboxTemplate, one of v1beta1 a SandboxWarmPool.
import { AoError } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import { type Api, ApiError } from './api.ts'
import { NAME_ANNOTATION, OWNER_LABEL, podName, SPAWN_LABEL } from './pod-manifest.ts'
import type { Pod } from './pod-state.ts'

export interface SandboxRequest {
  name: string
  spawnId: string
  owner: string
  from: SandboxSource
  timeoutMs: number
}

export type SandboxSource = { template: string } | { pool: string }

interface Claim {
  status?: {
    conditions?: Array<{ type: string; status: string; reason?: string; message?: string }>
    /** `Name` in early versions. */
    sandbox?: { name?: string; Name?: string }
  }
}

const GROUP = 'extensions.agents.x-k8s.io'
const VERSIONS = ['v1alpha1', 'v1beta1'] as const
type Version = (typeof VERSIONS)[number]

const versionOf = (from: SandboxSource): Version => ('pool' in from ? 'v1beta1' : 'v1alpha1')

function claimsPath(version: Version, namespace: string, claim?: string): string {
  const all = `/apis/${GROUP}/${version}/namespaces/${encodeURIComponent(namespace)}/sandboxclaims`
  return claim === undefined ? all : `${all}/${encodeURIComponent(claim)}`
}

const ASK_EVERY_MS = 500

/** Resolves when its pod exists. */
export async function claimSandbox(api: Api, request: SandboxRequest): Promise<{ claim: string; pod: Pod }> {
  const { namespace } = api.access
  const { from } = request
  const version = versionOf(from)
  const claim = podName(request.name, request.spawnId)
  const labels = { [OWNER_LABEL]: request.owner, [SPAWN_LABEL]: request.spawnId }
  const annotations = { [NAME_ANNOTATION]: request.name, [CLAIM_ANNOTATION]: claim }
  const source = 'pool' in from ? { warmPoolRef: { name: from.pool } } : { sandboxTemplateRef: { name: from.template } }
  await submit(api, version, {
    apiVersion: `${GROUP}/${version}`,
    kind: 'SandboxClaim',
    metadata: { name: claim, labels, annotations },
    spec: { ...source, additionalPodMetadata: { labels, annotations } },
  })
  const until = performance.now() + request.timeoutMs
  const query = new URLSearchParams({ labelSelector: `${SPAWN_LABEL}=${request.spawnId}` })
  for (;;) {
    const { items } = await api.ask<{ items: Pod[] }>(
      'GET',
      `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?${query}`,
    )
    if (items[0]) return { claim, pod: items[0] }
    const refusal = whyNot(await api.ask<Claim>('GET', claimsPath(version, namespace, claim)))
    if (refusal !== null && /NotFound|Invalid|Expired|Failed/.test(refusal.reason)) {
      throw new AoError('PLACE_FAILED', `The sandbox was refused: ${refusal.message}`, {
        hint: `See: kubectl get ${'pool' in from ? 'sandboxwarmpools' : 'sandboxtemplates'}`,
      })
    }
    if (performance.now() > until) {
      const reason = refusal?.message ?? 'no reason was given'
      throw new AoError('PLACE_FULL', `The sandbox ${claim} has no pod after ${request.timeoutMs / 1000} s: ${reason}`)
    }
    await sleep(ASK_EVERY_MS)
  }
}

/** On the pod: whom to give it back to. */
export const CLAIM_ANNOTATION = 'ao.dev/claim'

/** Its controller removes the sandbox, the pod and the volumes. One that is gone is fine. */
export async function releaseSandbox(api: Api, claim: string): Promise<void> {
  await askAboutClaim(api, 'DELETE', claim)
}

/** null: it no longer exists. `sandbox`: the name of what it was given. */
export async function findClaim(api: Api, claim: string): Promise<{ sandbox: string } | null> {
  const found = await askAboutClaim(api, 'GET', claim)
  if (found === null) return null
  const { name, Name } = found.status?.sandbox ?? {}
  return { sandbox: name || Name || claim }
}

export async function patchClaim(api: Api, claim: string, change: object): Promise<void> {
  await askAboutClaim(api, 'PATCH', claim, change)
}

/** In whichever version the cluster still has it: its API may have been upgraded since. null: in none. */
async function askAboutClaim(api: Api, method: string, claim: string, body?: object): Promise<Claim | null> {
  for (const version of VERSIONS) {
    try {
      return await api.ask<Claim>(method, claimsPath(version, api.access.namespace, claim), body)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
    }
  }
  return null
}

const OTHER: Readonly<Record<Version, string>> = {
  v1alpha1: '`sandboxPool`, the name of a SandboxWarmPool, where it has v1beta1',
  v1beta1: '`sandboxTemplate`, the name of a SandboxTemplate, where it has v1alpha1',
}

async function submit(api: Api, version: Version, claim: unknown): Promise<void> {
  try {
    await api.ask('POST', claimsPath(version, api.access.namespace), claim)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    throw new AoError('PLACE_FAILED', `The cluster has no SandboxClaim of the version ${version}`, {
      hint: `Install kubernetes-sigs/agent-sandbox with its extensions, or use ${OTHER[version]}`,
    })
  }
}

function whyNot({ status }: Claim): { reason: string; message: string } | null {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (!ready || ready.status === 'True') return null
  return { reason: ready.reason ?? '', message: ready.message || ready.reason || 'it is not ready' }
}
