// Scm plugin `forgejo`: pull requests, statuses and reviews on Forgejo and Gitea.

import { createForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { scmPlugin } from '../http-api/forge-plugin.ts'
import { createForgejoScm } from './forgejo-scm.ts'
import { parseForgejoWebhook } from './parse-webhook.ts'

export const plugin = scmPlugin({
  name: 'forgejo',
  description: 'Pull requests on Forgejo and Gitea',
  mergeMethods: ['merge', 'squash', 'rebase'],
  client: createForgejoClient,
  create: createForgejoScm,
  also: { openPR: 1 },
  handIn: {
    complete: 'push the branch with `git push -u origin HEAD`; ao opens the pull request for it',
    update: 'commit and push',
    request: 'pull request',
  },
  parseWebhook: parseForgejoWebhook,
})
