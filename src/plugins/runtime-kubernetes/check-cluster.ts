// One line about a cluster for people: whether it answers, and whether we have the rights that a place needs.
import { AoError } from '../../contract/errors.ts'
import type { Api } from './api.ts'
import { explain } from './explain-refusal.ts'
import { serverName } from './pod-ref.ts'

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

export async function checkCluster(api: Api, options: { template?: string | undefined }): Promise<string> {
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
