// Tracker plugin `github`: issues of the project's repository on GitHub.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGithubClient } from '../github-api/github-client.ts'
import { connectionKeys, connectionOf } from '../github-api/github-options.ts'
import { detectToken } from '../github-api/read-token.ts'
import { createGithubTracker } from './github-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'github',
    description: 'Issues on GitHub',
  },
  options: z.strictObject(connectionKeys),
  create(options, context) {
    return createGithubTracker(createGithubClient(connectionOf(options), context, { errorCode: 'TRACKER_FAILED' }))
  },
  detect: detectToken,
})
