// Tracker plugin `local`: issues as Markdown files in ao's own data directory. Works with nothing installed.
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { createLocalTracker } from './local-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'local',
    description: "Issues as Markdown files in ao's data directory",
  },
  options: NO_OPTIONS,
  create: (_options, context) => createLocalTracker(context),
  detect: async () => ({ ok: true, detail: 'always there' }),
})
