// The plugin `codex` of the agent slot.
import { exec, execFailure } from '../../lib/exec.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { readPriceOptions } from '../agent-files/cost/price-options.ts'
import { createCodexAgent } from './codex-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'codex',
    description: 'OpenAI Codex, read from its hooks and rollout files',
    version: '1.0.0',
  },
  create: (options, context) => createCodexAgent({ context, prices: readPriceOptions('codex', options) }),
  detect: async ({ env }) => {
    const result = await exec('codex', ['--version'], { env, timeoutMs: 10_000 })
    if (result.ok) return { ok: true, detail: result.stdout.trim() }
    return { ok: false, detail: execFailure('codex', result), fix: 'npm install --global @openai/codex' }
  },
})
