// Tracker plugin `forgejo`: issues of the project's repository on Forgejo and Gitea.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { byAddress, forgeRow } from '../http-api/forge-address.ts'
import { trackerPerProject } from '../http-api/per-project.ts'
import { forgeKeys } from '../http-api/plugin-options.ts'
import { createForgejoTracker } from './forgejo-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'forgejo',
    description: 'Issues on Forgejo and Gitea',
  },
  options: z.strictObject(forgeKeys),
  create(options, context) {
    const at = byAddress(forgeRow('forgejo'), { options, env: context.env }, (address) =>
      createForgejoTracker(createForgejoClient({ ...options, ...address }, context, 'TRACKER_FAILED')),
    )
    return trackerPerProject('forgejo', at)
  },
})
