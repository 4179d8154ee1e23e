// The plugin `claude-code` of the agent slot.
import { exec, execFailure } from '../../lib/exec.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { priceOptions } from '../agent-files/cost/price-options.ts'
import { createClaudeAgent } from './claude-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'claude-code',
    description: 'Claude Code, read from its hooks, state files and transcripts',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createClaudeAgent({ context, prices }),
  detect: async ({ env }) => {
    const result = await exec('claude', ['--version'], { env, timeoutMs: 10_000 })
    if (result.ok) return { ok: true, detail: result.stdout.trim() }
    return {
      ok: false,
      detail: execFailure('claude', result),
      fix: 'npm install --global @anthropic-ai/claude-code',
    }
  },
})
