// The plugin `generic` of the agent slot.
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
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
    version: '1.0.0',
  },
  create(options) {
    const parsed = optionsSchema.safeParse(options)
    if (parsed.success) return createGenericAgent(parsed.data)
    throw new AoError('CONFIG_INVALID', 'The options of the generic agent are command (text or list) and args (list)', {
      details: { options: Object.keys(options) },
    })
  },
  detect: async () => ({ ok: true, detail: 'runs what agentConfig.command names' }),
})
