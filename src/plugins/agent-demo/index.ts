// The demo agent as a plugin: a scripted program that needs no model, for trying things out and for tests.
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { createDemoAgent } from './demo-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'demo',
    description: 'A scripted agent for trying things out; there is no model behind it',
  },
  options: NO_OPTIONS,
  create: () => createDemoAgent(),
  async detect() {
    return { ok: true, detail: 'ships with ao' }
  },
})
