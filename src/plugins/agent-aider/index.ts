// The plugin `aider` of the agent slot.
import { findExecutable } from '../../lib/find-executable.ts'
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { createAiderAgent } from './aider-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'aider',
    description: 'Aider, read from its histories and its screen',
  },
  options: NO_OPTIONS,
  create: () => createAiderAgent(),
  // Its `--version` takes seconds, so being there has to be enough.
  detect: async ({ env }) => {
    const path = findExecutable('aider', { env })
    if (path) return { ok: true, detail: path }
    return { ok: false, detail: 'aider is not on PATH', fix: 'python -m pip install aider-install && aider-install' }
  },
})
