// With which account a session continues whose agent is stopped by a limit. Pure.

import type { AccountLimit, AgentAccount } from '../../contract/account.ts'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { resolveLaunch } from '../session/plan-launch.ts'

export interface FallbackQuestion {
  /** The best first; the present one may be among them. */
  accounts: readonly AgentAccount[]
  present: AgentAccount
  /** When the limit of the present one is reset. */
  resetsAt: number
  /** What is known of all accounts. */
  limits: readonly AccountLimit[]
  now: number
}

/** Another account means another conversation: a limit that is over soon is waited for. */
const WORTH_IT_MS = 10 * 60_000

/** null: it waits for its own limit, or until another account can be used. */
export function chooseFallback({ accounts, present, resetsAt, limits, now }: FallbackQuestion): AgentAccount | null {
  if (resetsAt - now < WORTH_IT_MS) return null
  const open = limitsAt(limits, now)
  const isFree = (one: AgentAccount) => !isSameAccount(one, present) && !open.some((limit) => isSameAccount(limit, one))
  return accounts.find(isFree) ?? null
}

/** The one that the session began with, then those of `fallback`. None when there is no `fallback`. */
export function accountsFor(config: OrchestratorConfig, project: ProjectConfig, record: SessionRecord): AgentAccount[] {
  const names = fallbackOf(config, project)
  if (names.length === 0) return []
  return [null, ...names].map((account) => agentAccount(config, project, record, account))
}

export function fallbackOf({ defaults }: OrchestratorConfig, { fallback }: ProjectConfig): readonly string[] {
  return fallback ?? defaults.fallback ?? []
}

/** The account of this name for this session; null: the one that it began with. */
export function agentAccount(
  config: OrchestratorConfig,
  project: ProjectConfig,
  record: SessionRecord,
  account: string | null,
): AgentAccount {
  const role = record.role ?? 'worker'
  if (account !== null) return { agent: resolveLaunch(config, project, role, { account }).agent, account }
  const first = record.firstAgent ?? record.agent
  return { agent: first ?? resolveLaunch(config, project, role).agent, account: null }
}

/** null: its record names no agent. */
export function presentAccount({ agent, account }: SessionRecord): AgentAccount | null {
  return agent === undefined ? null : { agent, account: account ?? null }
}

export function isSameAccount(a: AgentAccount, b: AgentAccount): boolean {
  return a.agent === b.agent && a.account === b.account
}

/** Those that hold now. */
export function limitsAt(limits: readonly AccountLimit[], now: number): AccountLimit[] {
  return limits.filter(({ until }) => Date.parse(until) > now)
}

/** The last word about an account counts. */
export function withLimit(limits: readonly AccountLimit[], limit: AccountLimit, now: number): AccountLimit[] {
  return [...limitsAt(limits, now).filter((one) => !isSameAccount(one, limit)), limit]
}

/** For people. */
export function accountName({ agent, account }: AgentAccount): string {
  return account === null ? agent : `${agent} with the account ${account}`
}
