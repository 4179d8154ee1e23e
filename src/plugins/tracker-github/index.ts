// Tracker plugin `github`: issues of the project's repository on GitHub.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGithubClient } from '../github-api/github-client.ts'
import { connectionOf } from '../github-api/github-options.ts'
import { byAddress, forgeRow } from '../http-api/forge-address.ts'
import { trackerPerProject } from '../http-api/per-project.ts'
import { forgeKeys } from '../http-api/plugin-options.ts'
import { createGithubTracker } from './github-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'github',
    description: 'Issues on GitHub',
  },
  options: z.strictObject(forgeKeys),
  create(options, context) {
    const at = byAddress(forgeRow('github'), { options, env: context.env }, (address) =>
      createGithubTracker(createGithubClient(connectionOf(options, address), context, { errorCode: 'TRACKER_FAILED' })),
    )
    return trackerPerProject('github', at)
  },
})
