// The demo agent as a plugin: a scripted program that needs no model, for trying things out and for tests.
import { AoError } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createDemoAgent } from './demo-agent.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'demo',
    description: 'A scripted agent for trying things out; there is no model behind it',
    version: '1.0.0',
  },
  create(options) {
    const unknown = Object.keys(options)
    if (unknown.length > 0) {
      throw new AoError('CONFIG_INVALID', `The demo agent has no option ${unknown.join(', ')}`)
    }
    return createDemoAgent()
  },
  async detect() {
    return { ok: true, detail: 'ships with ao' }
  },
})
