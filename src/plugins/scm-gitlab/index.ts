// Scm plugin `gitlab`: merge requests, pipelines, approvals and discussions on GitLab.
import * as z from 'zod/mini'
import { methodsFrom } from '../../contract/forges.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createGitlabClient } from '../gitlab-api/gitlab-client.ts'
import { byAddress, forgeRow } from '../http-api/forge-address.ts'
import { scmPerProject } from '../http-api/per-project.ts'
import { forgeKeys } from '../http-api/plugin-options.ts'
import { createGitlabScm } from './gitlab-scm.ts'
import { parseGitlabWebhook } from './parse-webhook.ts'

const optionsSchema = z.strictObject({
  ...forgeKeys,
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
    const { env } = context
    const at = byAddress(forgeRow('gitlab'), { options, env }, (address) =>
      createGitlabScm(createGitlabClient({ ...options, ...address }, context, 'SCM_FAILED'), {
        env,
        squash: options.mergeMethod !== 'merge',
      }),
    )
    return scmPerProject(at, {
      name: 'gitlab',
      // The project on GitLab decides between merge commits and fast-forward; the request only whether it is squashed.
      mergeMethods: methodsFrom(options.mergeMethod ?? 'squash').filter((method) => method !== 'rebase'),
      // No `glab` is needed: GitLab has the branch, and ao requests the rest.
      handIn: {
        complete: 'push the branch with `git push -u origin HEAD`; ao opens the merge request for it',
        update: 'commit and push',
        request: 'merge request',
      },
      rerunChecks: async (pull, project) => (await at(project)).rerunChecks(pull, project),
      openPR: async (request, project) => (await at(project)).openPR(request, project),
      parseWebhook: (request, secret) => parseGitlabWebhook(request, secret, Date.now()),
    })
  },
})
