// Scm plugin `gitlab`: merge requests, pipelines, approvals and discussions on GitLab.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGitlabClient, detectGitlabToken, gitlabKeys } from '../gitlab-api/gitlab-client.ts'
import { createGitlabScm } from './gitlab-scm.ts'

const optionsSchema = z.strictObject({
  ...gitlabKeys,
  mergeMethod: z.optional(z.enum(['merge', 'squash'])),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'scm',
    name: 'gitlab',
    description: 'Merge requests on GitLab',
  },
  options: optionsSchema,
  create(options, context) {
    const client = createGitlabClient(options, context, 'SCM_FAILED')
    return createGitlabScm(client, { env: context.env, squash: options.mergeMethod !== 'merge' })
  },
  detect: detectGitlabToken,
})
