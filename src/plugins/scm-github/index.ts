// Scm plugin `github`: pull requests, checks, statuses and reviews on GitHub.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createGithubClient } from '../github-api/github-client.ts'
import { connectionKeys, connectionOf } from '../github-api/github-options.ts'
import { detectToken } from '../github-api/read-token.ts'
import { createGithubScm } from './github-scm.ts'

const optionsSchema = z.strictObject({
  ...connectionKeys,
  mergeMethod: z.optional(z.enum(['merge', 'squash', 'rebase'])),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'scm',
    name: 'github',
    description: 'Pull requests on GitHub',
  },
  options: optionsSchema,
  create(options, context) {
    const client = createGithubClient(connectionOf(options), context, { errorCode: 'SCM_FAILED' })
    return createGithubScm(client, { env: context.env, mergeMethod: options.mergeMethod ?? 'squash' })
  },
  detect: detectToken,
})
