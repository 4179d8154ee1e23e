// Kubernetes as an engine of places: a pod for each session, and the API server's exec streams as channels.
import { createHash } from 'node:crypto'
import { AoError, errorText } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import type { PlaceEngine, PlaceState, StartedPlace } from '../../slots/place.ts'
import { type Api, ApiError, explain, openApi } from './api.ts'
import { checkCluster } from './check-cluster.ts'
import { CLAIM_ANNOTATION, claimSandbox, releaseSandbox, type SandboxSource } from './claim-sandbox.ts'
import { execChannel } from './exec-channel.ts'
import { clusterAccess } from './kubeconfig.ts'
import type { KubernetesOptions } from './options.ts'
import { findSandbox, resumeSandbox, setPaused } from './pause-sandbox.ts'
import {
  CONTAINER,
  NAME_ANNOTATION,
  OWNER_LABEL,
  podManifest,
  podName,
  readTemplate,
  SPAWN_LABEL,
} from './pod-manifest.ts'
import { formatRef, type PodRef, parseRef, serverName } from './pod-ref.ts'
import { type Pod, type Progress, progressOf, stateOf, whyDeleted } from './pod-state.ts'
import { watchPod } from './watch-pod.ts'

const STOP_MS = 60_000

export function kubernetesEngine(
  options: KubernetesOptions,
  env: NodeJS.ProcessEnv,
  home: string,
  report: (text: string) => void = () => undefined,
): PlaceEngine {
  /** Several people, or homes, may share a namespace. */
  const owner = createHash('sha256').update(home).digest('hex').slice(0, 12)
  let opened: Api | null = null
  const api = (): Api => {
    opened ??= openApi(clusterAccess(options, env))
    return opened
  }
  const podsIn = (namespace: string) => `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
  const pathOf = ({ namespace, pod }: PodRef) => `${podsIn(namespace)}/${encodeURIComponent(pod)}`

  /** Of this very cluster: one of the same name elsewhere would look dead. */
  function here(text: string): PodRef {
    const ref = parseRef(text)
    const { server } = api().access
    if (ref.server === serverName(server)) return ref
    throw new AoError(
      'PLACE_UNREACHABLE',
      `${ref.pod} is in the cluster ${ref.server}, and this is ${serverName(server)}`,
      {
        hint: 'Set `context` of the place, so that it does not change with your current context',
      },
    )
  }

  /** null is a proof: this pod no longer exists. */
  async function find(ref: PodRef): Promise<Pod | null> {
    try {
      const pod = await api().ask<Pod>('GET', pathOf(ref))
      if (typeof pod?.metadata?.uid !== 'string')
        throw new AoError('PLACE_UNREACHABLE', `The answer about ${ref.pod} is not a pod`)
      return pod.metadata.uid === ref.uid ? pod : null
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }
  }

  async function create(launch: { name: string; spawnId: string }): Promise<PodRef> {
    const { access } = api()
    const manifest = podManifest({ ...launch, owner, ...options, template: readTemplate(options.template) })
    const path = podsIn(access.namespace)
    const made = await api()
      .ask<Pod>('POST', path, manifest)
      .catch(async (error) => {
        // The answer was lost, or it is the answer to an earlier try: what was made is ours.
        const found = await api()
          .ask<Pod>('GET', `${path}/${podName(launch.name, launch.spawnId)}`)
          .catch(() => null)
        if (found?.metadata.labels?.[SPAWN_LABEL] === launch.spawnId) return found
        throw error
      })
    return refOf(made)
  }

  function refOf({ metadata, spec }: Pod): PodRef {
    const { server, namespace } = api().access
    const names = spec?.containers?.map(({ name = '' }) => name) ?? []
    const container = names.includes(CONTAINER) ? CONTAINER : (names[0] ?? CONTAINER)
    const claim = metadata.annotations?.[CLAIM_ANNOTATION]
    return { server: serverName(server), namespace, pod: metadata.name, uid: metadata.uid, container, claim }
  }

  async function claim(launch: { name: string; spawnId: string }, from: SandboxSource): Promise<PodRef> {
    const timeoutMs = options.startSeconds * 1000
    try {
      const { pod } = await claimSandbox(api(), { ...launch, owner, from, timeoutMs })
      return refOf(pod)
    } catch (error) {
      await unclaim(podName(launch.name, launch.spawnId)).catch((left) =>
        report(`the sandbox of ${launch.name} could not be given back: ${errorText(explain(left, options))}`),
      )
      throw error
    }
  }

  const unclaim = (name: string) => releaseSandbox(api(), name)

  async function untilRunning(ref: PodRef): Promise<void> {
    let last: Progress = { is: 'waiting', why: '' }
    await watchPod(api(), { ...ref, timeoutMs: options.startSeconds * 1000 }, (pod) => {
      const before = last
      last = pod === null ? { is: 'failed', why: whyDeleted(ref.pod) } : progressOf(pod, ref.container)
      if (
        last.is === 'waiting' &&
        before.is === 'waiting' &&
        last.why !== before.why &&
        /no node takes|image/.test(last.why)
      ) {
        report(`the pod ${ref.pod} waits: ${last.why}`)
      }
      return last.is === 'waiting' ? 'more' : 'enough'
    })
    const progress = last as Progress
    if (progress.is === 'running') return
    if (progress.is === 'failed')
      throw new AoError('PLACE_FAILED', upper(progress.why), {
        hint: `Correct the place's options; the pod was deleted`,
      })
    throw new AoError(
      'PLACE_FULL',
      `The pod ${ref.pod} did not start within ${options.startSeconds} s: ${progress.why}`,
      {
        hint: 'It was deleted. Try again later, use another place, or raise `startSeconds` of the place',
      },
    )
  }

  async function remove(ref: PodRef): Promise<void> {
    if (ref.claim !== undefined) await unclaim(ref.claim)
    if ((await find(ref)) === null) return
    const how = { gracePeriodSeconds: 1, preconditions: { uid: ref.uid } }
    await api()
      .ask('DELETE', pathOf(ref), how)
      .catch((error) => {
        // Gone, or another pod has its name by now.
        if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error
      })
    await untilGone(ref)
  }

  async function untilGone(ref: PodRef): Promise<void> {
    const until = performance.now() + STOP_MS
    for (let attempt = 0; ; attempt++) {
      const pod = await find(ref)
      if (pod === null) return
      if (performance.now() > until) {
        const state = stateOf(pod)
        throw new AoError(
          'PLACE_UNREACHABLE',
          `The pod ${ref.pod} is still being deleted${'why' in state ? `: ${state.why}` : ''}`,
        )
      }
      await sleep(Math.min(50 * (attempt + 1), 1_000))
    }
  }

  /** null: it has none, or none that we may ask about. */
  async function sandbox({ claim }: PodRef): ReturnType<typeof findSandbox> {
    if (claim === undefined) return null
    return findSandbox(api(), claim).catch((error) => {
      if (error instanceof ApiError && error.status === 403) return null
      throw error
    })
  }

  async function pause(ref: PodRef, how: { dryRun?: boolean } = {}): Promise<void> {
    const found = await sandbox(ref)
    if (found === null) throw new AoError('PLACE_FAILED', `The pod ${ref.pod} belongs to no sandbox that can be paused`)
    await setPaused(api(), found, true, how)
    if (!how.dryRun) await untilGone(ref)
  }

  async function resume(ref: PodRef, { spawnId }: { spawnId: string }): Promise<string | null> {
    const found = await sandbox(ref)
    if (found === null || ref.claim === undefined) return null
    try {
      const request = { claim: ref.claim, sandbox: found, uid: ref.uid, spawnId }
      const pod = await resumeSandbox(api(), { ...request, timeoutMs: options.startSeconds * 1000 })
      const made = { ...refOf(pod), claim: ref.claim }
      await untilRunning(made)
      return formatRef(made)
    } catch (error) {
      await setPaused(api(), found, true).catch((left) =>
        report(`the sandbox ${found.name} could not be paused again: ${errorText(explain(left, options))}`),
      )
      throw error
    }
  }

  const from = sandboxOf(options)
  const engine: PlaceEngine = {
    async start(launch) {
      const ref = from === null ? await create(launch) : await claim(launch, from)
      try {
        await untilRunning(ref)
      } catch (error) {
        await remove(ref).catch((left) =>
          report(`the pod ${ref.pod} could not be deleted: ${errorText(explain(left, options))}`),
        )
        throw error
      }
      return formatRef(ref)
    },
    async channel(text, command) {
      const ref = here(text)
      return execChannel(api(), { path: pathOf(ref), container: ref.container }, command).catch((error) => {
        const isRefusal = error instanceof ApiError && (error.status === 400 || error.status === 404)
        if (!isRefusal) throw error
        throw new AoError('PLACE_UNREACHABLE', `No program can be started in the pod ${ref.pod}: ${error.message}`)
      })
    },
    async probe(text): Promise<PlaceState> {
      const ref = here(text)
      const pod = await find(ref)
      if (pod !== null) return stateOf(pod)
      const left = await sandbox(ref)
      if (!left?.isPaused) return { state: 'gone', why: whyDeleted(ref.pod) }
      return { state: 'gone', why: `its sandbox ${left.name} was paused`, paused: true }
    },
    async list() {
      const { namespace } = api().access
      const query = new URLSearchParams({ labelSelector: `${OWNER_LABEL}=${owner}` })
      const listed = await api().ask<{ items: Pod[] }>('GET', `${podsIn(namespace)}?${query}`)
      return listed.items.flatMap((pod): StartedPlace[] => {
        const name = pod.metadata.annotations?.[NAME_ANNOTATION]
        const spawnId = pod.metadata.labels?.[SPAWN_LABEL]
        return name === undefined || spawnId === undefined ? [] : [{ ref: formatRef(refOf(pod)), name, spawnId }]
      })
    },
    stop: async (text) => remove(here(text)),
    ...(from !== null && {
      pause: async (text, how) => pause(here(text), how),
      resume: async (text, launch) => resume(here(text), launch),
    }),
    check: () => checkCluster(api(), from !== null),
  }
  return explaining(engine, options)
}

/** Every refusal of the API server leaves the engine as an error with a next step. */
function explaining(engine: PlaceEngine, options: KubernetesOptions): PlaceEngine {
  const explained = Object.entries(engine).map(([name, act]) => [
    name,
    async (...given: unknown[]) => {
      try {
        return await act(...given)
      } catch (error) {
        throw explain(error, options)
      }
    },
  ])
  return Object.fromEntries(explained) as PlaceEngine
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** null: a pod of our own. */
function sandboxOf({ sandboxPool, sandboxTemplate }: KubernetesOptions): SandboxSource | null {
  if (sandboxPool !== undefined) return { pool: sandboxPool }
  return sandboxTemplate === undefined ? null : { template: sandboxTemplate }
}
