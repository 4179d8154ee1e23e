// Tracker plugin `forgejo`: issues of the project's repository on Forgejo and Gitea.

import { createForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { trackerPlugin } from '../http-api/forge-plugin.ts'
import { createForgejoTracker } from './forgejo-tracker.ts'

export const plugin = trackerPlugin({
  name: 'forgejo',
  description: 'Issues on Forgejo and Gitea',
  client: createForgejoClient,
  create: createForgejoTracker,
})
