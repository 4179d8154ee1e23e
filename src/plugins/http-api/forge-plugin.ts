// The two plugins of a forge: options, clients for each address, and what differs from forge to forge.
import * as z from 'zod/mini'
import { type HandIn, type MergeMethod, methodsFrom } from '../../contract/forges.ts'
import { definePlugin, type Plugin } from '../../slots/plugin.ts'
import type { Scm } from '../../slots/scm.ts'
import { byAddress, forgeRow } from './forge-address.ts'
import type { CreateClient } from './forge-client.ts'
import { forwarded, type HostedScm, type HostedTracker, scmPerProject, trackerPerProject } from './per-project.ts'
import { forgeKeys } from './plugin-options.ts'

export interface ScmOptions {
  env: NodeJS.ProcessEnv
  mergeMethod: MergeMethod
}

interface Forge<C> {
  name: string
  description: string
  client: CreateClient<C>
}

type Optional = 'openPR' | 'rerunChecks'

interface ForgeScm<C, H extends HostedScm> extends Forge<C> {
  mergeMethods: readonly MergeMethod[]
  create(client: C, options: ScmOptions): H
  /** What not every forge can do; the project is its second argument. */
  also: { readonly [K in keyof H & Optional]: 1 }
  handIn: HandIn
  parseWebhook: NonNullable<Scm['parseWebhook']>
}

export function scmPlugin<C, H extends HostedScm>(forge: ForgeScm<C, H>): Plugin<'scm'> {
  const { name, description, mergeMethods, handIn, parseWebhook } = forge
  return definePlugin({
    manifest: { slot: 'scm', name, description },
    options: z.strictObject({ ...forgeKeys, mergeMethod: z.optional(z.enum(mergeMethods)) }),
    create(options, context) {
      const { mergeMethod = 'squash' } = options
      const { env } = context
      const at = byAddress(forgeRow(name), { options, env }, (address) =>
        forge.create(forge.client({ ...options, ...address }, context, 'SCM_FAILED'), { env, mergeMethod }),
      )
      return scmPerProject(at, {
        name,
        mergeMethods: methodsFrom(mergeMethod).filter((method) => mergeMethods.includes(method)),
        handIn,
        ...forwarded<H, keyof H & Optional>(forge.also, at),
        parseWebhook,
      })
    },
  })
}

export function trackerPlugin<C>(forge: Forge<C> & { create(client: C): HostedTracker }): Plugin<'tracker'> {
  const { name, description } = forge
  return definePlugin({
    manifest: { slot: 'tracker', name, description },
    options: z.strictObject(forgeKeys),
    create(options, context) {
      const at = byAddress(forgeRow(name), { options, env: context.env }, (address) =>
        forge.create(forge.client({ ...options, ...address }, context, 'TRACKER_FAILED')),
      )
      return trackerPerProject(name, at)
    },
  })
}
