// The plugin `codex` of the agent slot.
import { exec, execFailure } from '../../lib/exec.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { priceOptions } from '../agent-files/cost/price-options.ts'
import { createCodexAgent } from './codex-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'codex',
    description: 'OpenAI Codex, read from its hooks and rollout files',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createCodexAgent({ context, prices }),
  detect: async ({ env }) => {
    const result = await exec('codex', ['--version'], { env, timeoutMs: 10_000 })
    if (result.ok) return { ok: true, detail: result.stdout.trim() }
    return { ok: false, detail: execFailure('codex', result), fix: 'npm install --global @openai/codex' }
  },
})
