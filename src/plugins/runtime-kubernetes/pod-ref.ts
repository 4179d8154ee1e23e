// How a pod is found again: by cluster, namespace, name and the id that no other pod ever has.
import { AoError } from '../../contract/errors.ts'

export interface PodRef {
  server: string
  namespace: string
  pod: string
  uid: string
  container: string
  /** The SandboxClaim that it belongs to. */
  claim?: string | undefined
}

export function serverName(server: string): string {
  return new URL(server).host
}

export function formatRef({ namespace, pod, container, uid, claim, server }: PodRef): string {
  return `${namespace}/${pod}/${container}/${uid}${claim === undefined ? '' : `+${claim}`}@${server}`
}

export function parseRef(text: string): PodRef {
  const parts = /^([^/]+)\/([^/]+)\/([^/]+)\/([^@+]+)(?:\+([^@]+))?@(.+)$/.exec(text)
  if (parts === null) throw new AoError('PLACE_FAILED', `${text} does not name a pod`)
  const [, namespace = '', pod = '', container = '', uid = '', claim, server = ''] = parts
  return { namespace, pod, container, uid, claim, server }
}
