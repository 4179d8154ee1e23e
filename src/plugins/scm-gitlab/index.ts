// Scm plugin `gitlab`: merge requests, pipelines, approvals and discussions on GitLab.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGitlabClient, detectGitlabToken, gitlabKeys } from '../gitlab-api/gitlab-client.ts'
import { parseOptions } from '../http-api/plugin-options.ts'
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
    version: '0.1.0',
  },
  create(options, context) {
    const parsed = parseOptions('scm gitlab', optionsSchema, options)
    const client = createGitlabClient(parsed, context, 'SCM_FAILED')
    return createGitlabScm(client, { env: context.env, squash: parsed.mergeMethod !== 'merge' })
  },
  detect: detectGitlabToken,
})
