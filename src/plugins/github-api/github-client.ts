// The one way to GitHub: its REST and GraphQL APIs in this process, with a token, a rate budget and limits. Never a `gh`
// process (except for the token), and no knowledge of what is requested, but for whether the token may work there.

import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { asObject, parseObject } from '../../core/text/json-fields.ts'
import type { AccessReport } from '../../slots/scm.ts'
import type { ApiAnswer, ApiCall, Judgement, RawAnswer } from '../http-api/api-client.ts'
import { checkAccess } from '../http-api/check-access.ts'
import { forgeRow } from '../http-api/forge-address.ts'
import { type CreateClient, forgeApi } from '../http-api/forge-client.ts'
import { windowIn } from '../http-api/rate-budget.ts'
import { repositoryOf } from './repository-name.ts'

export type CallOptions = Pick<ApiCall, 'loop' | 'conditional' | 'tailBytes'>

export interface GraphqlError {
  message: string
  type?: string
  path?: Array<string | number>
}

export interface GraphqlAnswer {
  data: Record<string, unknown> | null
  errors: GraphqlError[]
}

export interface GithubClient {
  apiUrl: string
  /** Scheme and host of its web pages. */
  webUrl: string
  /** A route as GitHub documents it, `GET /repos/{owner}/{repo}`; parameters not in the path go to query or body. */
  rest<T>(route: string, parameters?: Record<string, unknown>, options?: CallOptions): Promise<T>
  /** The same, with the response headers. */
  ask<T>(route: string, parameters?: Record<string, unknown>, options?: CallOptions): Promise<ApiAnswer<T>>
  graphql(query: string, variables: Record<string, unknown>, options?: CallOptions): Promise<GraphqlAnswer>
}

export const createGithubClient: CreateClient<GithubClient> = (...given) => {
  const [{ apiUrl }] = given
  const { graphqlUrl, webUrl } = addressesOf(apiUrl)
  const call = forgeApi(forgeRow('github'), given, {
    scheme: 'Bearer',
    accept: 'application/vnd.github+json',
    window: (headers) => windowIn(headers, 'x-ratelimit'),
    tokenHint: 'Check the token: GITHUB_TOKEN, or: gh auth status',
    judge: judgeAnswer,
    redirectsChanges: true,
  })
  const ask = <T>(route: string, parameters: Record<string, unknown> = {}, options: CallOptions = {}) => {
    const { path, ...request } = fillRoute(route, parameters)
    return call<T>(path, { ...request, ...options, resource: 'core' })
  }
  return {
    apiUrl,
    webUrl,
    ask,
    rest: async <T>(route: string, parameters?: Record<string, unknown>, options?: CallOptions) =>
      (await ask<T>(route, parameters, options)).data,
    async graphql(query, variables, options = {}) {
      const body = { query, variables }
      const { data } = await call<Partial<GraphqlAnswer> | null>(graphqlUrl, {
        method: 'POST',
        body,
        ...options,
        resource: 'graphql',
      })
      return { data: data?.data ?? null, errors: data?.errors ?? [] }
    },
  }
}

function fillRoute(
  route: string,
  parameters: Record<string, unknown>,
): { path: string } & Pick<ApiCall, 'method' | 'body'> {
  const [method, template] = route.split(' ') as [NonNullable<ApiCall['method']>, string]
  const rest = { ...parameters }
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  if (given.length === 0) return { method, path }
  if (method !== 'GET') return { method, path, body: Object.fromEntries(given) }
  return {
    method,
    path: `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`,
  }
}

/** Beside that of its API. */
export function addressesOf(apiUrl: string): { graphqlUrl: string; webUrl: string } {
  const { protocol, host } = new URL(apiUrl)
  const isPublic = host === 'api.github.com'
  return {
    // A self-hosted server answers GraphQL beside `/api/v3`, not below it.
    graphqlUrl: `${apiUrl.replace(/\/api\/v3$/, '/api')}/graphql`,
    webUrl: isPublic ? 'https://github.com' : `${protocol}//${host.replace(/^api\.(?=.+\.ghe\.com$)/, '')}`,
  }
}

/** Why a reading failed, for a person. */
export function whyUnknown(error: unknown): string {
  return errorText(error).slice(0, 500)
}

interface Body {
  message?: unknown
  errors?: unknown
  data?: { rateLimit?: { cost?: unknown } | null } | null
}

/**
 * What a GitHub response says about limits and costs beyond its status: a 403 may mean "later", GraphQL says it with a 200.
 */
function judgeAnswer({ status, text, later }: RawAnswer): Judgement {
  const body = bodyOf(text)
  const limit = limitError(body)
  const message = limit === undefined ? messageOf(body) : String(limit.message)
  const limited = status === 200 ? limit !== undefined : status === 403 && (later || isLimitText(message))
  return { limited, reason: message, cost: costOf(body) }
}

/** Most 403s are a missing permission. */
function isLimitText(message: string | undefined): boolean {
  return /rate limit|abuse detection/i.test(message ?? '')
}

/** Only a response that may mention a limit is worth parsing; a log is not. */
function bodyOf(text: string): Body {
  return text.startsWith('{') ? asObject(parseObject(text)) : {}
}

function limitError({ errors }: Body): { message?: unknown } | undefined {
  return Array.isArray(errors) ? errors.find((one) => one?.type === 'RATE_LIMITED') : undefined
}

function messageOf({ message, errors }: Body): string | undefined {
  if (typeof message !== 'string') return undefined
  return (Array.isArray(errors) ? `${message}: ${JSON.stringify(errors).slice(0, 300)}` : message).slice(0, 500)
}

/** What a GraphQL query reports as its cost. */
function costOf({ data }: Body): number | undefined {
  const cost = data?.rateLimit?.cost
  return typeof cost === 'number' && cost >= 0 ? cost : undefined
}

export async function githubAccess(client: GithubClient, project: ProjectConfig): Promise<AccessReport> {
  const question = { forge: forgeRow('github'), apiUrl: client.apiUrl, repo: project.repo ?? project.id }
  return checkAccess(question, async () => {
    const { data, headers } = await client.ask<{ private?: boolean; permissions?: { push?: boolean } }>(
      'GET /repos/{owner}/{repo}',
      { ...repositoryOf(project) },
    )
    return {
      mayWrite: data.permissions?.push ?? null,
      missing: missingScope(headers.get('x-oauth-scopes'), data.private ?? false),
    }
  })
}

/** Only classic tokens have scopes; for others GitHub reports none. */
function missingScope(scopes: string | null, isPrivate: boolean): string | null {
  if (scopes === null || scopes.trim() === '') return null
  const has = scopes.split(',').map((scope) => scope.trim())
  if (has.includes('repo') || (!isPrivate && has.includes('public_repo'))) return null
  return 'the scope repo'
}
