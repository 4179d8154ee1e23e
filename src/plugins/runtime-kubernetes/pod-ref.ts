// How a pod is found again: by cluster, namespace, name and the id that no other pod ever has.
import { AoError } from '../../contract/errors.ts'

export interface PodRef {
  server: string
  namespace: string
  pod: string
  uid: string
  container: string
}

export function serverName(server: string): string {
  return new URL(server).host
}

export function formatRef({ namespace, pod, container, uid, server }: PodRef): string {
  return `${namespace}/${pod}/${container}/${uid}@${server}`
}

export function parseRef(text: string): PodRef {
  const [, namespace, pod, container, uid, server] = /^([^/]+)\/([^/]+)\/([^/]+)\/([^@]+)@(.+)$/.exec(text) ?? []
  if (server === undefined) throw new AoError('PLACE_FAILED', `${text} does not name a pod`)
  return { namespace: namespace!, pod: pod!, container: container!, uid: uid!, server }
}
