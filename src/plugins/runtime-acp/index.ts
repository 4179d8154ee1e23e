// The acp runtime as a plugin: its options, and whether agh can run here.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createAcpRuntime } from './acp-runtime.ts'
import { createLink } from './daemon-link.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'acp',
    description: 'Runs each agent as a durable agh session over the Agent Client Protocol',
  },
  options: z.strictObject({ graceMs: z.optional(z.number().check(z.minimum(0, 'must not be negative'))) }),
  create: (options, context) => createAcpRuntime(options, context),
  async detect(context) {
    const { detectAgh } = await import('./detect-agh.ts')
    return detectAgh(createLink(context).paths)
  },
})
