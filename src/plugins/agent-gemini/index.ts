// The plugin `gemini` of the agent slot.
import { findExecutable } from '../../lib/find-executable.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { priceOptions } from '../agent-files/cost/price-options.ts'
import { createGeminiAgent } from './gemini-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'gemini',
    description: 'Gemini CLI, read from its chats',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createGeminiAgent({ context, prices }),
  // Its `--version` takes seconds, so being there has to be enough.
  detect: async ({ env }) => {
    const path = findExecutable('gemini', { env })
    if (path) return { ok: true, detail: path }
    return { ok: false, detail: 'gemini is not on PATH', fix: 'npm install --global @google/gemini-cli' }
  },
})
