// Tracker plugin `local`: issues as Markdown files in ao's own data directory. Works with nothing installed.
import { AoError } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createLocalTracker } from './local-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'local',
    description: "Issues as Markdown files in ao's data directory",
    version: '0.1.0',
  },
  create(options, context) {
    const unknown = Object.keys(options)[0]
    if (unknown !== undefined) {
      throw new AoError('CONFIG_INVALID', `Options of the tracker plugin local: it knows no option ${unknown}`)
    }
    return createLocalTracker(context)
  },
  detect: async () => ({ ok: true, detail: 'always there' }),
})
