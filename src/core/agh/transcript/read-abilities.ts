// What an agent's response to `initialize` contains beyond the stable ACP schema.
import { CONVERSATION_METHODS, type ConversationMethod } from '../../../contract/agh/session-meta.ts'
import { isObject } from '../../text/json-fields.ts'

export interface AgentAbilities {
  /** It accepts instructions per session. */
  systemPrompt: boolean
  /** Ways to sign in, by name. */
  authMethods: string[]
  /** What it calls itself. Absent in older bookmarks. */
  agentName?: string | null
  /** Absent in older bookmarks. */
  conversations?: ConversationMethod[]
  /** What a prompt may have beside text and links. Absent in older bookmarks. */
  prompts?: { image: boolean; embeddedContext: boolean }
}

export const NO_ABILITIES: AgentAbilities = { systemPrompt: false, authMethods: [], agentName: null }

export function readAbilities(result: Record<string, unknown>): AgentAbilities {
  const capabilities = isObject(result.agentCapabilities) ? result.agentCapabilities : {}
  const forSessions = isObject(capabilities.sessionCapabilities) ? capabilities.sessionCapabilities : {}
  const forPrompts = isObject(capabilities.promptCapabilities) ? capabilities.promptCapabilities : {}
  const info = isObject(result.agentInfo) ? result.agentInfo : {}
  const methods = Array.isArray(result.authMethods) ? result.authMethods.filter(isObject) : []
  return {
    systemPrompt: isObject(forSessions.systemPrompt),
    authMethods: methods.map(({ name, id }) => String(name ?? id)),
    agentName: typeof info.name === 'string' ? info.name : null,
    prompts: { image: forPrompts.image === true, embeddedContext: forPrompts.embeddedContext === true },
    conversations: CONVERSATION_METHODS.filter((method) => isObject(forSessions[method])),
  }
}
