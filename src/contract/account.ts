// Accounts of agents: which one a session uses, and which ones it cannot use now.

/** An agent with one of the accounts of the configuration; null: the one that it is signed in to by itself. */
export interface AgentAccount {
  agent: string
  account: string | null
}

/** It cannot be used until then (ISO 8601): its limit is reached, or `why`. */
export interface AccountLimit extends AgentAccount {
  until: string
  why?: string | undefined
}

/** A session is being continued with this account; null: the one that it began with. */
export interface AccountSwitch {
  account: string | null
  why: string
}

export function isSwitch(value: unknown): value is AccountSwitch {
  const { account, why } = (value ?? {}) as Partial<AccountSwitch>
  return (account === null || typeof account === 'string') && typeof why === 'string'
}

export function isLimits(value: unknown): value is AccountLimit[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one) =>
        typeof one?.agent === 'string' &&
        (one.account === null || typeof one.account === 'string') &&
        !Number.isNaN(Date.parse(one.until)),
    )
  )
}
