// Scm plugin `local`: pull requests, CI and reviews without a server. Needs nothing but git.
import { forgeOptions, readForgeOptions } from '../../forge/forge-options.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createLocalScm } from './local-scm.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'scm',
    name: 'local',
    description: 'Pull requests, CI and reviews without a server',
  },
  options: forgeOptions,
  create: (options, context) => createLocalScm(readForgeOptions(options), context),
  detect: async () => ({ ok: true, detail: 'always there' }),
})
