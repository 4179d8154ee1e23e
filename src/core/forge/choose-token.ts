// Which token of the environment may be sent to which address. The one module that decides it: neither a configuration that
// came with a repository nor a remote that an agent changed can send a token to a host that it is not meant for. Pure.
import type { ForgeRow } from '../../contract/forges.ts'
import { hostOfApi, isVendorRun, type Variables } from './decide-forge.ts'
import { namedOrigins } from './forge-variables.ts'

export interface TokenQuestion {
  forge: ForgeRow
  apiUrl: string
  env: Variables
  /** The user consented to exactly this address, in the configuration. */
  agreed: boolean
}

export type TokenChoice =
  | { kind: 'token'; variable: string; token: string }
  /** No variable that could hold one is set. */
  | { kind: 'none'; variables: readonly string[] }
  /** There is one, but nothing says that it is meant for this host. */
  | { kind: 'elsewhere'; variable: string; why: string; hint: string }

export function chooseToken(question: TokenQuestion): TokenChoice {
  const { forge, apiUrl, env } = question
  const host = hostOfApi(forge, apiUrl)
  const isOwn = !isVendorRun(forge, new URL(`https://${host}`).hostname)
  const local = question.agreed && isLoopback(apiUrl)
  const variables = isOwn && !local && !namesApi(question) ? ownVariables(forge) : forge.tokenVariables
  const found = variables.find((name) => env[name]?.trim())
  if (found === undefined) return noToken(question, variables, host)
  const refusal = local ? null : refuse(question, host, isOwn)
  if (refusal !== null) return { kind: 'elsewhere', variable: found, ...refusal }
  return { kind: 'token', variable: found, token: env[found]!.trim() }
}

function refuse(question: TokenQuestion, host: string, isOwn: boolean): { why: string; hint: string } | null {
  const { forge, apiUrl, env, agreed } = question
  if (namesApi(question)) return null
  const named = namedOrigins(forge, env)
  const isNamed = named.some((origin) => new URL(origin).host === host)
  const protocol = new URL(apiUrl).protocol
  const say = `Say so with: export ${forge.hostVariables[0]}=`
  if (protocol !== 'https:' && !named.includes(`${protocol}//${host}`)) {
    return {
      why: `is not sent to ${protocol}//${host}, where others could read it`,
      hint: `${say}${protocol}//${host}`,
    }
  }
  if (isNamed) return null
  const other = named.find((origin) => sharesVariables(forge, new URL(origin).hostname, isOwn))
  if (other !== undefined) {
    const why = `is for ${new URL(other).host}, as ${forge.hostVariables[0]} says, and is not sent to ${host}`
    return { why, hint: `${say}${host}` }
  }
  if (host === forge.publicHost) return null
  if (agreed && (!isOwn || forge.ownTokenVariables !== null)) return null
  return { why: `is not sent to ${host} before you say that it belongs there`, hint: `${say}${host}` }
}

/** Both would be read from the same variables, and one token is for one of them. */
function sharesVariables(forge: ForgeRow, other: string, isOwn: boolean): boolean {
  return forge.ownTokenVariables === null || isVendorRun(forge, other) === !isOwn
}

function ownVariables(forge: ForgeRow): readonly string[] {
  return forge.ownTokenVariables ?? forge.tokenVariables
}

/** A token for the public host is of no use here, but the user who set it wants to know why. */
function noToken({ forge, env }: TokenQuestion, variables: readonly string[], host: string): TokenChoice {
  const other = forge.tokenVariables.find((name) => env[name]?.trim())
  if (other === undefined || variables.includes(other)) return { kind: 'none', variables }
  const hint = `Set ${variables[0]}, and ${forge.hostVariables[0]}=${host}`
  return { kind: 'elsewhere', variable: other, why: `is for ${forge.publicHost} and is not sent to ${host}`, hint }
}

function namesApi({ forge, apiUrl, env }: TokenQuestion): boolean {
  return forge.apiVariables.some((name) => env[name]?.replace(/(?<!\/)\/+$/, '') === apiUrl)
}

/** Is it this machine? A token sent there reaches nobody else. */
export function isLoopback(url: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname)
}
