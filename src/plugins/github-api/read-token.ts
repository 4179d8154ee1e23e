// The token for GitHub: from the environment, else once from `gh auth token`. It is never logged and never in an argv.
import { AoError, type ErrorCode } from '../../contract/errors.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { isLoopback } from '../http-api/plugin-options.ts'

export interface TokenSource {
  read(): Promise<string>
  /** GitHub refused this token: the next read asks gh again, but not sooner than every few minutes. */
  forget(token: string): void
}

export interface TokenOptions {
  env: NodeJS.ProcessEnv
  apiUrl: string
  errorCode: ErrorCode
  now?: () => number
}

/** So often a missing or refused token is asked for again: a login in between is noticed, the loop starts no gh. */
const ASK_AGAIN_MS = 5 * 60_000

export function createTokenSource(options: TokenOptions): TokenSource {
  const now = options.now ?? Date.now
  let asked: { at: number; answer: Promise<string> } | null = null
  let refused: string | null = null

  return {
    read() {
      const fromEnv = tokenFromEnvironment(options)
      if (fromEnv !== null) return Promise.resolve(fromEnv)
      const stale = asked !== null && now() - asked.at >= ASK_AGAIN_MS
      if (asked === null || (stale && refused !== null)) {
        asked = { at: now(), answer: askGh(options) }
        refused = null
        // A failure counts as refused, so that it is tried again later; whoever waits for the answer hears of it.
        asked.answer.catch(() => {
          refused = ''
        })
      }
      return asked.answer
    },
    forget(token) {
      refused = token
    },
  }
}

/** As gh does it: GITHUB_TOKEN is for github.com, and a server of one's own has a variable of its own. */
export function tokenFromEnvironment({ env, apiUrl }: Pick<TokenOptions, 'env' | 'apiUrl'>): string | null {
  const names = isForPublicToken(apiUrl, env)
    ? ['GITHUB_TOKEN', 'GH_TOKEN']
    : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN']
  for (const name of names) {
    const value = env[name]?.trim()
    if (value) return value
  }
  return null
}

/** A configuration that a repository brings along must not be able to send the user's token to any host it likes. */
function isForPublicToken(apiUrl: string, env: NodeJS.ProcessEnv): boolean {
  const { protocol, hostname } = new URL(apiUrl)
  if (isLoopback(apiUrl)) return true
  if (env.GITHUB_API_URL?.replace(/\/+$/, '') === apiUrl) return true
  return protocol === 'https:' && (hostname === 'api.github.com' || hostname.endsWith('.ghe.com'))
}

async function askGh({ env, apiUrl, errorCode }: TokenOptions): Promise<string> {
  const { hostname } = new URL(apiUrl)
  const host = hostname === 'api.github.com' ? 'github.com' : hostname
  const result = await exec('gh', ['auth', 'token', '--hostname', host], { env, timeoutMs: 10_000 })
  const token = result.stdout.trim()
  if (result.ok && token !== '') return token
  throw new AoError(errorCode, `There is no token for ${host}: ${execFailure('gh auth token', result)}`, {
    hint:
      host === 'github.com'
        ? 'Set GITHUB_TOKEN, or log in with: gh auth login'
        : `Set GH_ENTERPRISE_TOKEN, or log in with: gh auth login --hostname ${host}`,
    details: { host },
  })
}

/** For `ao doctor`: is there a token in the environment, or a gh that is logged in? GitHub itself is not asked. */
export async function detectToken({
  env,
}: Pick<PluginContext, 'env'>): Promise<{ ok: boolean; detail: string; fix?: string }> {
  if (['GITHUB_TOKEN', 'GH_TOKEN', 'GH_ENTERPRISE_TOKEN'].some((name) => env[name]?.trim())) {
    return { ok: true, detail: 'a token is in the environment' }
  }
  if (findExecutable('gh', { env }) === null) {
    return { ok: false, detail: 'no token and no gh', fix: 'Set GITHUB_TOKEN, or install gh and run: gh auth login' }
  }
  // Without a name it takes the host that the user logged in to.
  const { ok, stdout } = await exec('gh', ['auth', 'token'], { env, timeoutMs: 5_000 })
  if (ok && stdout.trim() !== '') return { ok: true, detail: 'the token of gh is used' }
  return { ok: false, detail: 'no token, and gh is not logged in', fix: 'Set GITHUB_TOKEN, or run: gh auth login' }
}
