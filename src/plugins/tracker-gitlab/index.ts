// Tracker plugin `gitlab`: issues of the project on GitLab.

import { createGitlabClient } from '../gitlab-api/gitlab-client.ts'
import { trackerPlugin } from '../http-api/forge-plugin.ts'
import { createGitlabTracker } from './gitlab-tracker.ts'

export const plugin = trackerPlugin({
  name: 'gitlab',
  description: 'Issues on GitLab',
  client: createGitlabClient,
  create: createGitlabTracker,
})
