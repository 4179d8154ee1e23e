// The plugin `opencode` of the agent slot.
import { findExecutable } from '../../lib/find-executable.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { priceOptions } from '../agent-files/cost/price-options.ts'
import { createOpencodeAgent } from './opencode-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'opencode',
    description: 'OpenCode, read from its database and log',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createOpencodeAgent({ context, prices }),
  // Its `--version` takes seconds, so being there has to be enough.
  detect: async ({ env }) => {
    const path = findExecutable('opencode', { env })
    if (path) return { ok: true, detail: path }
    return { ok: false, detail: 'opencode is not on PATH', fix: 'npm install --global opencode-ai' }
  },
})
