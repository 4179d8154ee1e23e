// The one way to Jira: its REST API, version 3. The token goes to the site that it is for, and nowhere else.
import { AoError } from '../../contract/errors.ts'
import { isLoopback } from '../../core/forge/choose-token.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type ApiClient, createApiClient } from '../http-api/api-client.ts'
import type { HttpOptions } from '../http-api/plugin-options.ts'

export interface JiraOptions extends HttpOptions {
  site?: string | undefined
}

export interface JiraClient {
  /** Without a slash at its end. */
  readonly site: string
  readonly call: ApiClient
}

export function createJiraClient(options: JiraOptions, { env }: Pick<PluginContext, 'env'>): JiraClient {
  const site = siteAddress(options.site ?? env.JIRA_SITE)
  const call = createApiClient({
    name: 'Jira',
    baseUrl: `${site}/rest/api/3`,
    errorCode: 'TRACKER_FAILED',
    limits: options,
    authorization: () => ({ authorization: credentials(env, site) }),
    // Its limits are in points that no header counts; it answers 429 with `retry-after`.
    window: () => null,
    tokenHint: 'Check JIRA_EMAIL and JIRA_API_TOKEN',
    judge: ({ text }) => ({ reason: reasonIn(text) }),
  })
  return { site, call }
}

/** A site that a configuration names was agreed to; it still has to be Atlassian's, or the one that the user named. */
function credentials(env: NodeJS.ProcessEnv, site: string): string {
  if (!URL.canParse(site)) {
    const hint = 'Set site in the options of the tracker, or: export JIRA_SITE=https://<name>.atlassian.net'
    throw new AoError('TRACKER_FAILED', 'Nothing says where your Jira is', { hint })
  }
  const [email, token] = [env.JIRA_EMAIL?.trim(), env.JIRA_API_TOKEN?.trim()]
  if (!email || !token) {
    const hint =
      'Set JIRA_EMAIL, and JIRA_API_TOKEN to a token of https://id.atlassian.com/manage-profile/security/api-tokens'
    throw new AoError('TRACKER_FAILED', 'There is no token for Jira', { hint })
  }
  if (!isForSite(siteAddress(env.JIRA_SITE), site)) {
    throw new AoError('TRACKER_FAILED', `JIRA_API_TOKEN is not sent to ${site} before you say that it belongs there`, {
      hint: `Say so with: export JIRA_SITE=${site}`,
    })
  }
  return `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`
}

/** A bare host is taken too, as the variables of the forges are. */
export function siteAddress(written: string | undefined): string {
  const named = (written?.trim() ?? '').replace(/(?<!\/)\/+$/, '')
  return named === '' || named.includes('://') ? named : `https://${named}`
}

function isForSite(named: string, site: string): boolean {
  if (named) return URL.canParse(named) && new URL(named).origin === new URL(site).origin
  const { protocol, hostname } = new URL(site)
  return isLoopback(site) || (protocol === 'https:' && /^[a-z0-9-]+\.atlassian\.net$/.test(hostname))
}

/** `{ errorMessages: […], errors: { field: … } }` */
function reasonIn(text: string): string | undefined {
  try {
    const { errorMessages = [], errors = {} } = JSON.parse(text) as {
      errorMessages?: string[]
      errors?: Record<string, string>
    }
    const reasons = [...errorMessages, ...Object.entries(errors).map(([field, why]) => `${field}: ${why}`)]
    return reasons.length === 0 ? undefined : reasons.join('; ').slice(0, 500)
  } catch {
    // Not Jira's own words: the caller shows how they begin.
    return undefined
  }
}
