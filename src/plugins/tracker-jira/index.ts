// Tracker plugin `jira`: issues of a project in Jira Cloud.
import * as z from 'zod/mini'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { hostName, httpKeys, httpUrl } from '../http-api/plugin-options.ts'
import { createJiraClient } from './jira-client.ts'
import { createJiraTracker } from './jira-tracker.ts'

const optionsSchema = z.strictObject({
  ...httpKeys,
  /** Where it is, such as https://acme.atlassian.net; by default `JIRA_SITE`. */
  site: z.optional(
    z.union([httpUrl, hostName], 'must be a host name, or an http or https URL without user, query and #'),
  ),
  /** Key of the project that issues are listed from and created in. */
  project: z.optional(z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_]{0,30}$/, 'must be the key of a project'))),
  /** What new issues are; `Task` by default. */
  issueType: z.optional(z.string().check(z.minLength(1))),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'jira',
    description: 'Issues in Jira Cloud',
  },
  options: optionsSchema,
  create({ project, issueType, ...connection }, context) {
    return createJiraTracker(createJiraClient(connection, context), {
      project: project?.toUpperCase() ?? null,
      issueType: issueType ?? 'Task',
    })
  },
  detect: detectToken,
})

async function detectToken({ env }: PluginContext): Promise<{ ok: boolean; detail: string; fix?: string }> {
  const missing = ['JIRA_EMAIL', 'JIRA_API_TOKEN'].filter((name) => !env[name]?.trim())
  if (missing.length === 0) return { ok: true, detail: 'JIRA_EMAIL and JIRA_API_TOKEN are set' }
  return { ok: false, detail: `${missing.join(' and ')} not set`, fix: `Set ${missing.join(' and ')}` }
}
