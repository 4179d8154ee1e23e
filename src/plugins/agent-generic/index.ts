// The plugin `generic` of the agent slot.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGenericAgent } from './generic-agent.ts'

const optionsSchema = z.strictObject({
  command: z.optional(z.union([z.string(), z.array(z.string())])),
  args: z.optional(z.array(z.string())),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'generic',
    description: 'Any program with a terminal, named by agentConfig.command',
  },
  options: optionsSchema,
  create: (options) => createGenericAgent(options),
  detect: async () => ({ ok: true, detail: 'runs what agentConfig.command names' }),
})
