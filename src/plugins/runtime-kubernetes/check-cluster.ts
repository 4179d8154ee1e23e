// One line about a cluster for people: whether it answers, and whether we have the rights that a place needs.
import { AoError } from '../../contract/errors.ts'
import type { Api } from './api.ts'
import { serverName } from './pod-ref.ts'

type Right = readonly [verb: string, resource: string, subresource?: string, group?: string]

/** What a place needs. */
const RIGHTS: readonly Right[] = [
  ['create', 'pods'],
  ['get', 'pods'],
  ['list', 'pods'],
  ['watch', 'pods'],
  ['delete', 'pods'],
  ['get', 'pods', 'exec'],
  ['create', 'pods', 'exec'],
]

const claims = (verb: string): Right => [verb, 'sandboxclaims', '', 'extensions.agents.x-k8s.io']
const sandboxes = (verb: string): Right => [verb, 'sandboxes', '', 'agents.x-k8s.io']
const OF_SANDBOXES = [claims('create'), claims('get'), claims('delete')]
const TO_PAUSE = [claims('patch'), sandboxes('get'), sandboxes('patch')]

export async function checkCluster(api: Api, hasSandboxes: boolean): Promise<string> {
  const { namespace, server } = api.access
  const { gitVersion } = await api.ask<{ gitVersion: string }>('GET', '/version')
  const missing = await missingRights(api, hasSandboxes ? [...RIGHTS, ...OF_SANDBOXES] : RIGHTS)
  if (missing.length > 0) {
    throw new AoError('PLACE_FAILED', `You may not ${missing.join(', ')} in the namespace ${namespace}`, {
      hint: 'docs/places.md has a Role with exactly the rights that ao needs',
    })
  }
  const toPause = hasSandboxes ? await missingRights(api, TO_PAUSE) : []
  const cannot = toPause.length > 0 ? `; sessions cannot be paused, because you may not ${toPause.join(', ')}` : ''
  return `Kubernetes ${gitVersion} at ${serverName(server)}, namespace ${namespace}${cannot}`
}

async function missingRights(api: Api, rights: readonly Right[]): Promise<string[]> {
  const { namespace } = api.access
  const reviews = rights.map(async ([verb, resource, subresource = '', group = '']) => {
    const spec = { resourceAttributes: { namespace, verb, group, resource, subresource } }
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const { status } = await api.ask<{ status?: { allowed?: boolean } }>('POST', path, review)
    return status?.allowed ? [] : [`${verb} ${resource}${subresource ? `/${subresource}` : ''}`]
  })
  return (await Promise.all(reviews)).flat()
}
