// Tracker plugin `gitlab`: issues of the project on GitLab.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGitlabClient } from '../gitlab-api/gitlab-client.ts'
import { byAddress, forgeRow } from '../http-api/forge-address.ts'
import { trackerPerProject } from '../http-api/per-project.ts'
import { forgeKeys } from '../http-api/plugin-options.ts'
import { createGitlabTracker } from './gitlab-tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'gitlab',
    description: 'Issues on GitLab',
  },
  options: z.strictObject(forgeKeys),
  create(options, context) {
    const at = byAddress(forgeRow('gitlab'), { options, env: context.env }, (address) =>
      createGitlabTracker(createGitlabClient({ ...options, ...address }, context, 'TRACKER_FAILED')),
    )
    return trackerPerProject('gitlab', at)
  },
})
