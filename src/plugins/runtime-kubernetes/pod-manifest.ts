// The pod of a session: the user's template, and what a place needs.
import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import { AoError, errorText } from '../../contract/errors.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { holdPlace } from '../place/reach/hold-place.ts'

export interface PodRequest {
  name: string
  spawnId: string
  owner: string
  image?: string | undefined
  cpus?: number | undefined
  memory?: string | undefined
  /** A pod, or a pod template: `metadata` and `spec`. */
  template?: unknown
}

type Fields = Record<string, unknown>

/** The container that agents run in, when a template has several. */
export const CONTAINER = 'agent'
export const OWNER_LABEL = 'ao.dev/owner'
export const SPAWN_LABEL = 'ao.dev/spawn'
export const NAME_ANNOTATION = 'ao.dev/session'

/** Of a pod without a host: its creator died. */
const UNUSED_SECONDS = 600

/** A valid name that says whose it is: at most 63 characters of a-z, 0-9 and -. */
export function podName(name: string, spawnId: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '')
  const mark = createHash('sha256').update(`${name} ${spawnId}`).digest('hex').slice(0, 10)
  return `ao-${plain}-${mark}`.replace(/--+/g, '-')
}

export function podManifest(request: PodRequest): Fields {
  const template = request.template === undefined ? {} : fieldsOf(request.template, 'the template')
  const metadata = fieldsOf(template.metadata ?? {}, 'metadata of the template')
  const spec = fieldsOf(template.spec ?? {}, 'spec of the template')
  const containers = (Array.isArray(spec.containers) ? spec.containers : []).map((one) => fieldsOf(one, 'a container'))
  const at = Math.max(
    0,
    containers.findIndex(({ name }) => name === CONTAINER),
  )
  const ours = agentContainer(containers[at] ?? {}, request)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      // Ours: by these it is found again.
      name: podName(request.name, request.spawnId),
      generateName: undefined,
      namespace: undefined,
      labels: {
        'app.kubernetes.io/name': 'ao-session',
        ...fieldsOf(metadata.labels ?? {}, 'labels of the template'),
        'app.kubernetes.io/managed-by': 'ao',
        [OWNER_LABEL]: request.owner,
        [SPAWN_LABEL]: request.spawnId,
      },
      annotations: {
        ...fieldsOf(metadata.annotations ?? {}, 'annotations of the template'),
        [NAME_ANNOTATION]: request.name,
      },
    },
    spec: {
      // An agent has no business with the cluster, unless the template says so.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...spec,
      // An agent that was started again without its terminal would be nobody's.
      restartPolicy: 'Never',
      containers: containers.length === 0 ? [ours] : containers.map((one, index) => (index === at ? ours : one)),
    },
  }
}

function agentContainer(given: Fields, request: PodRequest): Fields {
  const image = request.image ?? given.image
  if (typeof image !== 'string' || image === '') {
    throw new AoError('PLACE_FAILED', 'The place has no image', {
      hint: 'Set `image` of the place, or the image of the first container in its template',
    })
  }
  const wanted = { cpu: request.cpus === undefined ? undefined : String(request.cpus), memory: request.memory }
  const limits = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  const resources = fieldsOf(given.resources ?? {}, 'resources of the container')
  const withLimits = {
    ...resources,
    requests: { ...fieldsOf(resources.requests ?? {}, 'requests'), ...limits },
    limits: { ...fieldsOf(resources.limits ?? {}, 'limits'), ...limits },
  }
  return {
    securityContext: { allowPrivilegeEscalation: false },
    ...given,
    name: typeof given.name === 'string' ? given.name : CONTAINER,
    image,
    command: ['sh', '-c', holdPlace(UNUSED_SECONDS)],
    args: undefined,
    resources: withLimits,
  }
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new AoError('PLACE_FAILED', `The pod template of the place is invalid: ${what} is not a mapping`, {
    hint: 'It is a Pod, or the template of one, as kubectl takes it',
  })
}

export function readTemplate(path: string | undefined): unknown {
  if (path === undefined) return undefined
  try {
    return parse(readPlainText(path)) as unknown
  } catch (error) {
    throw new AoError('PLACE_FAILED', `The pod template ${path} cannot be read: ${errorText(error).split('\n')[0]}`)
  }
}
