// Scm plugin `gitlab`: merge requests, pipelines, approvals and discussions on GitLab.

import { createGitlabClient } from '../gitlab-api/gitlab-client.ts'
import { scmPlugin } from '../http-api/forge-plugin.ts'
import { createGitlabScm } from './gitlab-scm.ts'
import { parseGitlabWebhook } from './parse-webhook.ts'

export const plugin = scmPlugin({
  name: 'gitlab',
  description: 'Merge requests on GitLab',
  // The project on GitLab decides between merge commits and fast-forward; the request only whether it is squashed.
  mergeMethods: ['merge', 'squash'],
  client: createGitlabClient,
  create: createGitlabScm,
  also: { openPR: 1, rerunChecks: 1 },
  // No `glab` is needed: GitLab has the branch, and ao requests the rest.
  handIn: {
    complete: 'push the branch with `git push -u origin HEAD`; ao opens the merge request for it',
    update: 'commit and push',
    request: 'merge request',
  },
  parseWebhook: (request, secret) => parseGitlabWebhook(request, secret, Date.now()),
})
