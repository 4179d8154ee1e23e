// Tracker plugin `gitlab`: issues of the project on GitLab.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGitlabClient, detectGitlabToken, gitlabKeys } from '../gitlab-api/gitlab-client.ts'
import { parseOptions } from '../http-api/plugin-options.ts'
import { createGitlabTracker } from './gitlab-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'gitlab',
    description: 'Issues on GitLab',
    version: '0.1.0',
  },
  create(options, context) {
    const parsed = parseOptions('tracker gitlab', z.strictObject(gitlabKeys), options)
    return createGitlabTracker(createGitlabClient(parsed, context, 'TRACKER_FAILED'))
  },
  detect: detectGitlabToken,
})
