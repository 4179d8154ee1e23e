// Tracker plugin `github`: issues of the project's repository on GitHub.

import { createGithubClient } from '../github-api/github-client.ts'
import { trackerPlugin } from '../http-api/forge-plugin.ts'
import { createGithubTracker } from './github-tracker.ts'

export const plugin = trackerPlugin({
  name: 'github',
  description: 'Issues on GitHub',
  client: createGithubClient,
  create: createGithubTracker,
})
