// Nothing that a host in a place says is trusted: the agent beside it could have written it. Whatever is used at home is checked
// here first, and what makes no sense is left out.
import type { AgentCost, AgentSessionInfo } from '../../contract/session.ts'
import { asObject } from '../text/json-fields.ts'

export type AskTool = 'gh' | 'ao' | 'push' | 'fetch'
const TOOLS: readonly AskTool[] = ['gh', 'ao', 'push', 'fetch']
const MOST_ARGUMENTS = 512
const LONGEST_WORD = 1024 * 1024
const LONGEST_TEXT = 20_000

export interface CheckedAsk {
  type: 'ask'
  n: number
  id: string
  tool: AskTool
  argv: string[]
}

export interface CheckedExit {
  type: 'exit'
  n: number
  exitCode: number | null
  signal: string | null
  screen: string
  why: string | undefined
}

export type CheckedFact = CheckedAsk | CheckedExit | { type: 'other'; n: number }

/** null: not a fact at all. */
export function checkFact(value: unknown): CheckedFact | null {
  const fact = asObject(value)
  const { n, type } = fact
  if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 1) return null
  if (type === 'ask') return checkAsk(fact, n) ?? { type: 'other', n }
  if (type !== 'exit') return { type: 'other', n }
  return {
    type,
    n,
    exitCode: typeof fact.exitCode === 'number' && Number.isInteger(fact.exitCode) ? fact.exitCode : null,
    signal: typeof fact.signal === 'string' && /^[A-Z0-9]{1,16}$/.test(fact.signal) ? fact.signal : null,
    screen: textOf(fact.screen, 1024 * 1024) ?? '',
    why: textOf(fact.why, 200) ?? undefined,
  }
}

export interface CheckedGateEnd {
  kind: 'passed' | 'failed' | 'cancelled'
  exitCode: number | null
  why: string
  logBytes: number
}

/** null: whatever it is, it does not say how a gate ended. Passed is what ended with exit code 0, and nothing else. */
export function checkGateEnd(value: unknown): CheckedGateEnd | null {
  const { kind, exitCode, why, logBytes } = asObject(value)
  const end = (['passed', 'failed', 'cancelled'] as const).find((one) => one === kind)
  const isCode = exitCode === null || (typeof exitCode === 'number' && Number.isInteger(exitCode))
  const isSize = typeof logBytes === 'number' && Number.isSafeInteger(logBytes) && logBytes >= 0
  const reason = textOf(why, 300)
  if (end === undefined || !isCode || !isSize || reason === null) return null
  if (end === 'passed' && exitCode !== 0) return null
  return { kind: end, exitCode, why: reason, logBytes }
}

function checkAsk({ id, tool, argv }: Record<string, unknown>, n: number): CheckedAsk | null {
  const called = TOOLS.find((one) => one === tool)
  if (called === undefined || typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) return null
  if (!Array.isArray(argv) || argv.length > MOST_ARGUMENTS) return null
  const areTexts = argv.every((word) => typeof word === 'string' && word.length <= LONGEST_WORD && !word.includes('\0'))
  return areTexts ? { type: 'ask', n, id, tool: called, argv } : null
}

/** The agent's own words about itself, each of the type that people and programs expect. */
export function checkInfo(value: unknown): AgentSessionInfo | null {
  if (value === null || typeof value !== 'object') return null
  const { summary, summaryIsFallback, agentSessionId, model, lastMessage, cost } = asObject(value)
  const id = textOf(agentSessionId, 200)
  return {
    summary: textOf(summary, LONGEST_TEXT),
    summaryIsFallback: summaryIsFallback === true || undefined,
    // It may become an argument when the session is resumed.
    agentSessionId: id !== null && /^\w[\w.-]*$/.test(id) ? id : null,
    model: textOf(model, 200) ?? undefined,
    lastMessage: textOf(lastMessage, LONGEST_TEXT) ?? undefined,
    cost: checkCost(cost),
  }
}

function checkCost(value: unknown): AgentCost | undefined {
  if (value === null || typeof value !== 'object') return undefined
  const cost = asObject(value)
  const count = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0)
  return {
    inputTokens: count(cost.inputTokens),
    outputTokens: count(cost.outputTokens),
    cacheReadTokens: count(cost.cacheReadTokens),
    cacheWriteTokens: count(cost.cacheWriteTokens),
    estimatedCostUsd: typeof cost.estimatedCostUsd === 'number' ? count(cost.estimatedCostUsd) : null,
  }
}

function textOf(value: unknown, longest: number): string | null {
  return typeof value === 'string' ? value.slice(0, longest) : null
}
