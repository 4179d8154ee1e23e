// Whether an agent's error means that its provider no longer has the conversation. Agents have no common code for it.

export interface RpcError {
  code?: number | undefined
  message?: unknown
  data?: unknown
}

const RESOURCE_NOT_FOUND = -32_002
const SUBJECT = '(?:session|thread|conversation|chat|rollout)'
const LOST = new RegExp(
  `${SUBJECT}\\b.{0,80}\\b(?:not found|unknown|invalid|does not exist|no longer exists|missing|expired)|` +
    `(?:no|invalid|unknown|missing) ${SUBJECT}\\b|(?:not found|could not find|cannot find)[:\\s].{0,40}\\b${SUBJECT}`,
  'i',
)

/** `whileLoading`: the request named only the conversation, so nothing else can be missing. */
export function isLostConversation(error: RpcError, whileLoading: boolean): boolean {
  if (whileLoading && error.code === RESOURCE_NOT_FOUND) return true
  const data = error.data === undefined ? '' : JSON.stringify(error.data)
  return LOST.test(`${error.message ?? ''} ${data}`.slice(0, 4_000))
}

export function freshStartHint(sessionId: string): string {
  return `The agent has lost this conversation. Begin a new one with a recap: agh session stop ${sessionId}, then agh session resume ${sessionId} --fresh`
}
