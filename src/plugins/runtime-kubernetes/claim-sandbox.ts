// A pod from a SandboxTemplate of kubernetes-sigs/agent-sandbox: we claim one, its controller makes or adopts the pod.
import { AoError } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import { type Api, ApiError } from './api.ts'
import { NAME_ANNOTATION, OWNER_LABEL, podName, SPAWN_LABEL } from './pod-manifest.ts'
import type { Pod } from './pod-state.ts'

export interface SandboxRequest {
  name: string
  spawnId: string
  owner: string
  template: string
  timeoutMs: number
}

interface Claim {
  status?: { conditions?: Array<{ type: string; status: string; reason?: string; message?: string }> }
}

export function claimsPath(namespace: string, claim?: string): string {
  const all = `/apis/extensions.agents.x-k8s.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}/sandboxclaims`
  return claim === undefined ? all : `${all}/${encodeURIComponent(claim)}`
}

const ASK_EVERY_MS = 500

/** Resolves when its pod exists. */
export async function claimSandbox(api: Api, request: SandboxRequest): Promise<{ claim: string; pod: Pod }> {
  const { namespace } = api.access
  const claim = podName(request.name, request.spawnId)
  const labels = { [OWNER_LABEL]: request.owner, [SPAWN_LABEL]: request.spawnId }
  const annotations = { [NAME_ANNOTATION]: request.name, [CLAIM_ANNOTATION]: claim }
  await submit(api, {
    apiVersion: 'extensions.agents.x-k8s.io/v1alpha1',
    kind: 'SandboxClaim',
    metadata: { name: claim, labels, annotations },
    spec: { sandboxTemplateRef: { name: request.template }, additionalPodMetadata: { labels, annotations } },
  })
  const until = performance.now() + request.timeoutMs
  const query = new URLSearchParams({ labelSelector: `${SPAWN_LABEL}=${request.spawnId}` })
  for (;;) {
    const { items } = await api.ask<{ items: Pod[] }>(
      'GET',
      `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?${query}`,
    )
    if (items[0]) return { claim, pod: items[0] }
    const refusal = whyNot(await api.ask<Claim>('GET', claimsPath(namespace, claim)))
    if (refusal !== null && /NotFound|Invalid|Expired|Failed/.test(refusal.reason)) {
      throw new AoError('PLACE_FAILED', `The sandbox was refused: ${refusal.words}`, {
        hint: 'See: kubectl get sandboxtemplates',
      })
    }
    if (performance.now() > until) {
      const words = refusal?.words ?? 'no reason was given'
      throw new AoError('PLACE_FULL', `The sandbox ${claim} has no pod after ${request.timeoutMs / 1000} s: ${words}`)
    }
    await sleep(ASK_EVERY_MS)
  }
}

/** On the pod: whom to give it back to. */
export const CLAIM_ANNOTATION = 'ao.dev/claim'

async function submit(api: Api, claim: unknown): Promise<void> {
  try {
    await api.ask('POST', claimsPath(api.access.namespace), claim)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    throw new AoError('PLACE_FAILED', 'The cluster has no SandboxClaim of the version v1alpha1', {
      hint: 'Install kubernetes-sigs/agent-sandbox with its extensions, or use `template` instead of `sandboxTemplate`',
    })
  }
}

function whyNot({ status }: Claim): { reason: string; words: string } | null {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (!ready || ready.status === 'True') return null
  return { reason: ready.reason ?? '', words: ready.message || ready.reason || 'it is not ready' }
}
