// Scm plugin `forgejo`: pull requests, statuses and reviews on Forgejo and Gitea.
import * as z from 'zod/mini'
import { methodsFrom } from '../../contract/forges.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { byAddress, forgeRow } from '../http-api/forge-address.ts'
import { scmPerProject } from '../http-api/per-project.ts'
import { forgeKeys } from '../http-api/plugin-options.ts'
import { createForgejoScm } from './forgejo-scm.ts'
import { parseForgejoWebhook } from './parse-webhook.ts'

const optionsSchema = z.strictObject({
  ...forgeKeys,
  mergeMethod: z.optional(z.enum(['merge', 'squash', 'rebase'])),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'scm',
    name: 'forgejo',
    description: 'Pull requests on Forgejo and Gitea',
  },
  options: optionsSchema,
  create(options, context) {
    const { env } = context
    const at = byAddress(forgeRow('forgejo'), { options, env }, (address) =>
      createForgejoScm(createForgejoClient({ ...options, ...address }, context, 'SCM_FAILED'), {
        env,
        mergeMethod: options.mergeMethod ?? 'squash',
      }),
    )
    return scmPerProject(at, {
      name: 'forgejo',
      mergeMethods: methodsFrom(options.mergeMethod ?? 'squash'),
      handIn: {
        complete: 'push the branch with `git push -u origin HEAD`; ao opens the pull request for it',
        update: 'commit and push',
        request: 'pull request',
      },
      openPR: async (request, project) => (await at(project)).openPR(request, project),
      parseWebhook: parseForgejoWebhook,
    })
  },
})
