// What an agent's response to `initialize` contains beyond the stable ACP schema.
import { isObject } from './read-content.ts'

export interface AgentAbilities {
  /** It accepts instructions per session. */
  systemPrompt: boolean
  /** Ways to sign in, by name. */
  authMethods: string[]
}

export const NO_ABILITIES: AgentAbilities = { systemPrompt: false, authMethods: [] }

export function readAbilities(result: Record<string, unknown>): AgentAbilities {
  const capabilities = isObject(result.agentCapabilities) ? result.agentCapabilities : {}
  const forSessions = isObject(capabilities.sessionCapabilities) ? capabilities.sessionCapabilities : {}
  const methods = Array.isArray(result.authMethods) ? result.authMethods.filter(isObject) : []
  return {
    systemPrompt: isObject(forSessions.systemPrompt),
    authMethods: methods.map(({ name, id }) => String(name ?? id)),
  }
}
