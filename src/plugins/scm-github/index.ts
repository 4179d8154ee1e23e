// Scm plugin `github`: pull requests, checks, statuses and reviews on GitHub.
import * as z from 'zod/mini'
import { methodsFrom } from '../../contract/forges.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createGithubClient } from '../github-api/github-client.ts'
import { connectionOf } from '../github-api/github-options.ts'
import { byAddress, forgeRow } from '../http-api/forge-address.ts'
import { scmPerProject } from '../http-api/per-project.ts'
import { forgeKeys } from '../http-api/plugin-options.ts'
import { createGithubScm } from './github-scm.ts'
import { parseGithubWebhook } from './parse-webhook.ts'

const optionsSchema = z.strictObject({
  ...forgeKeys,
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
    const { env } = context
    const at = byAddress(forgeRow('github'), { options, env }, (address) =>
      createGithubScm(createGithubClient(connectionOf(options, address), context, { errorCode: 'SCM_FAILED' }), {
        env,
        mergeMethod: options.mergeMethod ?? 'squash',
      }),
    )
    return scmPerProject(at, {
      name: 'github',
      mergeMethods: methodsFrom(options.mergeMethod ?? 'squash'),
      handIn: {
        complete: 'push the branch and open a pull request with `gh pr create`',
        update: 'commit and push',
        request: 'pull request',
        needs: 'gh',
      },
      rerunChecks: async (pull, project) => (await at(project)).rerunChecks(pull, project),
      parseWebhook: parseGithubWebhook,
    })
  },
})
