// Kubernetes as an engine of places: a pod for each session, and the API server's exec streams as channels.
import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import { AoError, errorText } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { PlaceEngine, PlaceState, StartedPlace } from '../../slots/place.ts'
import { type Api, ApiError, openApi } from './api.ts'
import { execChannel } from './exec-channel.ts'
import { type AccessOptions, clusterAccess } from './kubeconfig.ts'
import { CONTAINER, NAME_ANNOTATION, OWNER_LABEL, podManifest, podName, SPAWN_LABEL } from './pod-manifest.ts'
import { type Pod, type Progress, progressOf, stateOf, whyDeleted } from './pod-state.ts'
import { watchPod } from './watch-pod.ts'

export interface KubernetesOptions extends AccessOptions {
  image?: string | undefined
  /** Absolute path of a file. */
  template?: string | undefined
  cpus?: number | undefined
  memory?: string | undefined
  startSeconds: number
}

const STOP_MS = 60_000

interface Ref {
  server: string
  namespace: string
  pod: string
  uid: string
  container: string
}

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
  const pathOf = ({ namespace, pod }: Ref) => `${podsIn(namespace)}/${pod}`

  /** Of this very cluster: one of the same name elsewhere would look dead. */
  function here(text: string): Ref {
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

  /** null is a proof: this pod does not exist any more. */
  async function find(ref: Ref): Promise<Pod | null> {
    try {
      const pod = await api().ask<Pod>('GET', pathOf(ref))
      return pod.metadata.uid === ref.uid ? pod : null
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw explain(error, options)
    }
  }

  async function create(launch: { name: string; spawnId: string }): Promise<Ref> {
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
        throw explain(error, options)
      })
    const names = (manifest.spec as { containers: Array<{ name: string }> }).containers.map(({ name }) => name)
    return {
      server: serverName(access.server),
      namespace: access.namespace,
      pod: made.metadata.name,
      uid: made.metadata.uid,
      container: names.includes(CONTAINER) ? CONTAINER : names[0]!,
    }
  }

  async function untilRunning(ref: Ref): Promise<void> {
    let last: Progress = { is: 'waiting', why: '' }
    await watchPod(api(), { ...ref, timeoutMs: options.startSeconds * 1000 }, (pod) => {
      const before = last
      last = pod === null ? { is: 'failed', why: whyDeleted(ref.pod) } : progressOf(pod, ref.container)
      if (
        last.is === 'waiting' &&
        before.is === 'waiting' &&
        last.why !== before.why &&
        /no node|image/.test(last.why)
      ) {
        report(`the pod ${ref.pod} waits: ${last.why}`)
      }
      return last.is === 'waiting' ? 'more' : 'enough'
    }).catch((error) => {
      throw explain(error, options)
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

  async function remove(ref: Ref): Promise<void> {
    const until = performance.now() + STOP_MS
    for (let asked = 0; ; asked++) {
      const pod = await find(ref)
      if (pod === null) return
      if (asked === 0) {
        const how = { gracePeriodSeconds: 1, preconditions: { uid: ref.uid } }
        await api()
          .ask('DELETE', pathOf(ref), how)
          .catch((error) => {
            // Gone, or another pod has its name by now.
            if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409))
              throw explain(error, options)
          })
      }
      if (performance.now() > until) {
        const state = stateOf(pod)
        throw new AoError(
          'PLACE_UNREACHABLE',
          `The pod ${ref.pod} is still being deleted${'why' in state ? `: ${state.why}` : ''}`,
        )
      }
      await sleep(Math.min(50 * (asked + 1), 1_000))
    }
  }

  return {
    async start(launch) {
      const ref = await create(launch)
      try {
        await untilRunning(ref)
      } catch (error) {
        await remove(ref).catch((left) => report(`the pod ${ref.pod} could not be deleted: ${errorText(left)}`))
        throw error
      }
      return formatRef(ref)
    },
    async channel(text, command) {
      const ref = here(text)
      return execChannel(api(), ref, command).catch((error) => {
        const isRefusal = error instanceof ApiError && (error.status === 400 || error.status === 404)
        if (!isRefusal) throw explain(error, options)
        throw new AoError('PLACE_UNREACHABLE', `No program can be started in the pod ${ref.pod}: ${error.message}`)
      })
    },
    async probe(text): Promise<PlaceState> {
      const ref = here(text)
      const pod = await find(ref)
      return pod === null ? { state: 'gone', why: whyDeleted(ref.pod) } : stateOf(pod)
    },
    async list() {
      const { namespace, server } = api().access
      const query = new URLSearchParams({ labelSelector: `app.kubernetes.io/managed-by=ao,${OWNER_LABEL}=${owner}` })
      const listed = await api()
        .ask<{ items: Pod[] }>('GET', `${podsIn(namespace)}?${query}`)
        .catch((error) => {
          throw explain(error, options)
        })
      return listed.items.flatMap(({ metadata, spec }): StartedPlace[] => {
        const name = metadata.annotations?.[NAME_ANNOTATION]
        const spawnId = metadata.labels?.[SPAWN_LABEL]
        if (name === undefined || spawnId === undefined) return []
        const names = spec?.containers?.map((one) => one.name ?? '') ?? []
        const container = names.includes(CONTAINER) ? CONTAINER : (names[0] ?? CONTAINER)
        const ref = { server: serverName(server), namespace, pod: metadata.name, uid: metadata.uid, container }
        return [{ ref: formatRef(ref), name, spawnId }]
      })
    },
    stop: async (text) => remove(here(text)),
    check: () => check(api(), options),
  }
}

function readTemplate(path: string | undefined): unknown {
  if (path === undefined) return undefined
  try {
    return parse(readPlainText(path)) as unknown
  } catch (error) {
    throw new AoError('PLACE_FAILED', `The pod template ${path} cannot be read: ${errorText(error).split('\n')[0]}`)
  }
}

function serverName(server: string): string {
  return new URL(server).host
}

function formatRef({ namespace, pod, container, uid, server }: Ref): string {
  return `${namespace}/${pod}/${container}/${uid}@${server}`
}

function parseRef(text: string): Ref {
  const [, namespace, pod, container, uid, server] = /^([^/]+)\/([^/]+)\/([^/]+)\/([^@]+)@(.+)$/.exec(text) ?? []
  if (server === undefined) throw new AoError('PLACE_FAILED', `${text} does not name a pod`)
  return { namespace: namespace!, pod: pod!, container: container!, uid: uid!, server }
}

/** What a place needs: verb and resource. */
const RIGHTS: ReadonlyArray<readonly [verb: string, resource: string, subresource: string]> = [
  ['create', 'pods', ''],
  ['get', 'pods', ''],
  ['list', 'pods', ''],
  ['watch', 'pods', ''],
  ['delete', 'pods', ''],
  ['get', 'pods', 'exec'],
  ['create', 'pods', 'exec'],
]

async function check(api: Api, options: KubernetesOptions): Promise<string> {
  const { namespace, server } = api.access
  try {
    const { gitVersion } = await api.ask<{ gitVersion: string }>('GET', '/version')
    const asked = RIGHTS.map(async ([verb, resource, subresource]) => {
      const spec = { resourceAttributes: { namespace, verb, resource, subresource } }
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
      const { status } = await api.ask<{ status?: { allowed?: boolean } }>('POST', path, review)
      return status?.allowed ? [] : [`${verb} ${resource}${subresource ? `/${subresource}` : ''}`]
    })
    const missing = (await Promise.all(asked)).flat()
    if (missing.length === 0) return `Kubernetes ${gitVersion} at ${serverName(server)}, namespace ${namespace}`
    throw new AoError('PLACE_FAILED', `You may not ${missing.join(', ')} in the namespace ${namespace}`, {
      hint: 'docs/places.md has a Role with exactly the rights that ao needs',
    })
  } catch (error) {
    throw explain(error, options)
  }
}

/** A refusal of the API server as an error with a next step. */
function explain(error: unknown, { template }: KubernetesOptions): unknown {
  if (!(error instanceof ApiError)) return error
  const details = { status: error.status, reason: error.reason }
  const said = error.message
  if (error.status === 401) {
    return new AoError('PLACE_UNREACHABLE', `The cluster does not accept your credentials: ${said}`, {
      hint: 'Log in again, and make this work first: kubectl get pods',
      details,
    })
  }
  if (error.status === 403 && /exceeded quota/i.test(said)) {
    return new AoError('PLACE_FULL', `The namespace's quota is used up: ${said.replace(/^.*?forbidden: /, '')}`, {
      hint: 'See it with: kubectl describe resourcequota',
      details,
    })
  }
  if (error.status === 403) {
    return new AoError('PLACE_FAILED', `The cluster forbids it: ${said}`, {
      hint: 'docs/places.md has a Role with exactly the rights that ao needs',
      details,
    })
  }
  if (error.status === 429) return new AoError('PLACE_UNREACHABLE', `The cluster is too busy: ${said}`, { details })
  if (error.status === 422 || error.status === 400) {
    const hint = template ? `Correct ${template}` : "Correct the place's options"
    return new AoError('PLACE_FAILED', `The cluster does not accept the pod: ${said}`, { hint, details })
  }
  if (error.status >= 500)
    return new AoError('PLACE_UNREACHABLE', `The cluster answers with an error: ${said}`, { details })
  return new AoError('PLACE_FAILED', `The cluster refused: ${said}`, { details })
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
