// Summary, model, tokens and cost of a session, as summed up by OpenCode itself, including its subagents.
import type { Database } from 'better-sqlite3'
import type { AgentCost, AgentSessionInfo } from '../../contract/session.ts'
import { type PriceTable, totalCost } from '../agent-files/prices.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'

interface SessionRow {
  title: string | null
  model: string | null
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  cost: number
}

const ROWS = `
  SELECT title, model, cost, tokens_input AS inputTokens, tokens_output + tokens_reasoning AS outputTokens,
    tokens_cache_read AS cacheReadTokens, tokens_cache_write AS cacheWriteTokens
  FROM session WHERE id = @id OR parent_id = @id
  ORDER BY id = @id DESC LIMIT 1000`

const FIRST_PROMPT = `
  SELECT json_extract(part.data, '$.text') AS text
  FROM message JOIN part ON part.message_id = message.id
  WHERE message.session_id = ? AND json_valid(message.data) AND json_extract(message.data, '$.role') = 'user'
    AND json_valid(part.data) AND json_extract(part.data, '$.type') = 'text'
  ORDER BY message.time_created, part.id LIMIT 1`

const LAST_MESSAGE = `
  SELECT json_extract(part.data, '$.text') AS text
  FROM message JOIN part ON part.message_id = message.id
  WHERE message.session_id = ? AND json_valid(message.data) AND json_extract(message.data, '$.role') = 'assistant'
    AND json_valid(part.data) AND json_extract(part.data, '$.type') = 'text'
  ORDER BY message.time_created DESC, part.id DESC LIMIT 1`

const MAX_SUMMARY = 120
const MAX_MESSAGE = 4_000

export function readInfo(database: Database, sessionId: string, prices: PriceTable): AgentSessionInfo | null {
  const rows = database.prepare<[{ id: string }], SessionRow>(ROWS).all({ id: sessionId })
  const main = rows[0]
  if (!main) return null
  const title = isOwnTitle(main.title) ? main.title : null
  const summary = title ?? (promptTitle(textOf(database, FIRST_PROMPT, sessionId) ?? '') || null)
  const lastMessage = textOf(database, LAST_MESSAGE, sessionId)
  const model = modelName(main.model)
  return {
    summary: summary?.slice(0, MAX_SUMMARY) ?? null,
    summaryIsFallback: (title === null && summary !== null) || undefined,
    agentSessionId: sessionId,
    model: model ?? undefined,
    cost: sumCost(rows, prices),
    lastMessage: lastMessage?.slice(0, MAX_MESSAGE),
  }
}

/** Until a model has named it, a session is called "New session - <time>". */
function isOwnTitle(title: string | null): title is string {
  return title !== null && title.trim() !== '' && !/^(New|Child) session - /.test(title)
}

/** OpenCode knows the prices of its providers; 0 for used tokens only means that it knows none. */
function sumCost(rows: SessionRow[], prices: PriceTable): AgentCost {
  return totalCost(
    rows.map(({ model, cost, ...usage }) => ({
      model: costsItself(cost, model, prices) ? '' : (modelName(model) ?? ''),
      usage: { ...usage, cacheWriteLongTokens: 0 },
      reportedCostUsd: cost > 0 ? cost : undefined,
    })),
    prices,
  )
}

/** Its own sum is exact where it has one; only a user's own price table takes precedence. */
function costsItself(cost: number, model: string | null, prices: PriceTable): boolean {
  return cost > 0 && !Object.hasOwn(prices, modelName(model) ?? '')
}

/** `{"id":"mock-model","providerID":"mock"}` */
function modelName(model: string | null): string | null {
  try {
    const { id, providerID } = JSON.parse(model ?? '') as { id?: unknown; providerID?: unknown }
    if (typeof id !== 'string') return null
    return typeof providerID === 'string' ? `${providerID}/${id}` : id
  } catch {
    // Not chosen yet, or of another kind.
    return null
  }
}

function textOf(database: Database, query: string, sessionId: string): string | null {
  return database.prepare<[string], { text: string | null }>(query).get(sessionId)?.text ?? null
}
