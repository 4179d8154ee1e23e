// Places that are pods of a Kubernetes cluster: each session in one of its own.
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { errorText } from '../../contract/errors.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { kubernetesEngine } from './kubernetes-engine.ts'

const RESOURCE = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/

const options = z.strictObject({
  context: z.optional(z.string()),
  namespace: z.optional(
    z.string().check(z.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a namespace')),
  ),
  kubeconfig: z.optional(z.string()),
  image: z.optional(z.string().check(z.regex(/^[^-\s]\S*$/, 'must be the name of an image'))),
  template: z.optional(z.string()),
  sandboxTemplate: z.optional(z.string().check(z.regex(RESOURCE, 'must be the name of a SandboxTemplate'))),
  sandboxPool: z.optional(z.string().check(z.regex(RESOURCE, 'must be the name of a SandboxWarmPool'))),
  cpus: z.optional(z.number().check(z.positive('must be greater than 0'))),
  memory: z.optional(z.string().check(z.regex(/^\d+(\.\d+)?([EPTGMk]i?|m)?$/, 'must be a size such as 4Gi'))),
  startSeconds: z._default(z.number().check(z.minimum(1, 'must be at least 1')), 600),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

export const plugin = definePlaceEngine({
  manifest: { name: 'kubernetes', description: 'Runs each agent in a pod of a Kubernetes cluster' },
  options,
  engine: (own, { env, home, log, configDir, place }) => {
    const at = (path: string | undefined) =>
      path === undefined ? undefined : resolve(configDir, path.replace(/^~(?=\/)/, env.HOME ?? '~'))
    const resolved = { ...own, template: at(own.template), kubeconfig: at(own.kubeconfig) }
    return kubernetesEngine(resolved, env, home, (text) => log.warn(`${place?.name ?? 'kubernetes'}: ${text}`))
  },
  async detect({ env }) {
    try {
      const { clusterAccess } = await import('./kubeconfig.ts')
      return { ok: true, detail: clusterAccess({}, env).server }
    } catch (error) {
      return { ok: false, detail: errorText(error), fix: 'Make this work first: kubectl get pods' }
    }
  },
})
