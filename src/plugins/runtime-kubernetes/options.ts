// The options of a place in a cluster.
import * as z from 'zod/mini'

const RESOURCE = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/

export const kubernetesOptions = z.strictObject({
  context: z.optional(z.string()),
  namespace: z.optional(
    z.string().check(z.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a namespace')),
  ),
  kubeconfig: z.optional(z.string()),
  image: z.optional(z.string().check(z.regex(/^[^-\s]\S*$/, 'must be the name of an image'))),
  /** A file. */
  template: z.optional(z.string()),
  /** A SandboxTemplate of kubernetes-sigs/agent-sandbox, instead of an image. */
  sandboxTemplate: z.optional(z.string().check(z.regex(RESOURCE, 'must be the name of a SandboxTemplate'))),
  /** A SandboxWarmPool of it, for clusters with the v1beta1 of its API. */
  sandboxPool: z.optional(z.string().check(z.regex(RESOURCE, 'must be the name of a SandboxWarmPool'))),
  cpus: z.optional(z.number().check(z.positive('must be greater than 0'))),
  memory: z.optional(z.string().check(z.regex(/^\d+(\.\d+)?([EPTGMk]i?|m)?$/, 'must be a size such as 4Gi'))),
  startSeconds: z._default(z.number().check(z.minimum(1, 'must be at least 1')), 600),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

/** With absolute paths. */
export type KubernetesOptions = Omit<z.infer<typeof kubernetesOptions>, 'graceMs'>
