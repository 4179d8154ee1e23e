// Scm plugin `github`: pull requests, checks, statuses and reviews on GitHub.

import { createGithubClient } from '../github-api/github-client.ts'
import { scmPlugin } from '../http-api/forge-plugin.ts'
import { createGithubScm } from './github-scm.ts'
import { parseGithubWebhook } from './parse-webhook.ts'

export const plugin = scmPlugin({
  name: 'github',
  description: 'Pull requests on GitHub',
  mergeMethods: ['merge', 'squash', 'rebase'],
  client: createGithubClient,
  create: createGithubScm,
  also: { rerunChecks: 1 },
  handIn: {
    complete: 'push the branch and open a pull request with `gh pr create`',
    update: 'commit and push',
    request: 'pull request',
    needs: 'gh',
  },
  parseWebhook: parseGithubWebhook,
})
