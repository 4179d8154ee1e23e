// Tracker plugin `gitlab`: issues of the project on GitLab.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGitlabClient, detectGitlabToken, gitlabKeys } from '../gitlab-api/gitlab-client.ts'
import { createGitlabTracker } from './gitlab-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'gitlab',
    description: 'Issues on GitLab',
  },
  options: z.strictObject(gitlabKeys),
  create(options, context) {
    return createGitlabTracker(createGitlabClient(options, context, 'TRACKER_FAILED'))
  },
  detect: detectGitlabToken,
})
