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
