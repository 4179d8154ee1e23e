// The token for a forge: from the environment, else once from the forge's own command. Never logged, never in an argv.
import { AoError, type ErrorCode } from '../../contract/errors.ts'
import type { ForgeRow } from '../../contract/forges.ts'
import { chooseToken, type TokenChoice } from '../../core/forge/choose-token.ts'
import { hostOfApi } from '../../core/forge/decide-forge.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import type { ForgeAddress } from './forge-address.ts'

export interface TokenSource {
  read(): Promise<string>
  /** The forge refused this token: the next read asks its command again, but at most every few minutes. */
  forget(token: string): void
}

export interface TokenOptions {
  forge: ForgeRow
  address: Pick<ForgeAddress, 'apiUrl' | 'agreed'>
  env: NodeJS.ProcessEnv
  errorCode: ErrorCode
  now?: () => number
}

/** How often a missing or refused token is retried: a login in between is noticed, and the loop starts no process. */
const ASK_AGAIN_MS = 5 * 60_000

/** Commands that keep tokens by host, and how to log in with them. */
const KEEPERS: Readonly<Record<string, { program: string; ask(host: string): string[]; login: string }>> = {
  github: { program: 'gh', ask: (host) => ['auth', 'token', '--hostname', host], login: 'gh auth login' },
  gitlab: { program: 'glab', ask: (host) => ['config', 'get', 'token', '--host', host], login: 'glab auth login' },
}

export function createTokenSource(options: TokenOptions): TokenSource {
  const now = options.now ?? Date.now
  let pending: { at: number; answer: Promise<string> } | null = null
  let refused: string | null = null

  return {
    read() {
      const choice = choiceOf(options)
      if (choice.kind === 'token') return Promise.resolve(choice.token)
      const stale = pending !== null && now() - pending.at >= ASK_AGAIN_MS
      if (pending === null || (stale && refused !== null)) {
        pending = { at: now(), answer: askKeeper(options, choice) }
        refused = null
        // A failure counts as refused, so that it is retried later; the waiting caller gets the error.
        pending.answer.catch(() => {
          refused = ''
        })
      }
      return pending.answer
    },
    forget(token) {
      refused = token
    },
  }
}

function choiceOf({ forge, address, env }: TokenOptions): TokenChoice {
  return chooseToken({ forge, apiUrl: address.apiUrl, agreed: address.agreed, env })
}

async function askKeeper(options: TokenOptions, choice: Exclude<TokenChoice, { kind: 'token' }>): Promise<string> {
  const { forge, address, env, errorCode } = options
  const host = hostOfApi(forge, address.apiUrl)
  const keeper = KEEPERS[forge.plugin]
  const result =
    keeper && (await exec(keeper.program, keeper.ask(host), { env: withoutTokens(forge, env), timeoutMs: 10_000 }))
  const token = result?.ok ? result.stdout.trim() : ''
  if (token !== '') return token
  const login = keeper && `or log in with: ${keeper.login}${host === forge.publicHost ? '' : ` --hostname ${host}`}`
  const details = { host }
  if (choice.kind === 'elsewhere') {
    const hint = login ? `${choice.hint}, ${login}` : choice.hint
    throw new AoError(errorCode, `${choice.variable} ${choice.why}`, { hint, details })
  }
  const variables = `Set ${choice.variables[0]}${host === forge.publicHost ? '' : ` and ${forge.hostVariables[0]}=${host}`}`
  const why = result && keeper ? `: ${execFailure(keeper.program, result)}` : ''
  throw new AoError(errorCode, `There is no token for ${host}${why}`, {
    hint: login ? `${variables}, ${login}` : `${variables}; the token needs ${forge.tokenScope}`,
    details,
  })
}

/** These commands return a token of the environment for any host: only what they keep for this one is wanted. */
function withoutTokens(forge: ForgeRow, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = { ...env }
  const names = [...forge.tokenVariables, ...(forge.ownTokenVariables ?? []), 'GITLAB_ACCESS_TOKEN', 'OAUTH_TOKEN']
  for (const name of names) delete clean[name]
  return clean
}
