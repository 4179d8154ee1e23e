// A session at a glance, kept up to date event by event: its title, its last words, its tokens.
import { contentOf, type EventRow } from '../../../contract/agh/events.ts'
import { permissionInputSchema } from '../../../contract/agh/permission-input.ts'
import { textOf } from '../../../contract/agh/read-update.ts'
import type { SessionDigest } from '../../../contract/agh/session-meta.ts'
import { requestLine } from '../../queue/describe-request.ts'
import { titleOf } from '../../queue/read-input.ts'
import { isObject } from '../../text/json-fields.ts'
import { TROUBLE } from '../session/turn.ts'
import { tokensOf } from './transcript.ts'

const MAX_TITLE = 2_000
const MAX_LAST_MESSAGE = 4_000
const MAX_ERROR = 500

export const EMPTY_DIGEST: SessionDigest = {
  first_prompt: null,
  last_message: null,
  last_turn_id: null,
  last_event_at: null,
  last_turn_failed: false,
  tokens: null,
  cost: null,
}

export function foldDigest(before: SessionDigest, row: EventRow): SessionDigest {
  const digest = { ...before, last_event_at: row.timestamp }
  switch (row.type) {
    case 'user_message': {
      const title = contentOf('user_message', row).text.slice(0, MAX_TITLE)
      return { ...digest, first_prompt: digest.first_prompt ?? title, last_turn_failed: false, expired: null }
    }
    case 'agent_message': {
      const reply = textOf(contentOf('agent_message', row)) ?? ''
      const isOn = digest.last_turn_id === row.turn_id
      const text = isOn ? (digest.last_message ?? '') + reply : reply
      return { ...digest, last_message: text.slice(-MAX_LAST_MESSAGE), last_turn_id: row.turn_id }
    }
    case 'permission': {
      const content = contentOf('permission', row)
      if (content.decided_by !== 'expired') return digest
      // Data on a disk may be damaged.
      const input = permissionInputSchema.safeParse(content.input).data
      const text = requestLine({ title: titleOf(content), input }, MAX_ERROR)
      return { ...digest, expired: { text, at: row.timestamp } }
    }
    case 'usage':
      return withCost(digest, contentOf('usage', row).cost)
    case 'done':
      return { ...digest, tokens: addTokens(digest.tokens, contentOf('done', row).usage), last_turn_failed: false }
    case 'error':
      return { ...digest, last_turn_failed: true, last_error: errorTextOf(digest, row).slice(0, MAX_ERROR) }
    default:
      return digest
  }
}

/** codex-acp says why it failed in its last message. */
function errorTextOf({ last_message, last_turn_id }: SessionDigest, row: EventRow): string {
  const { error } = contentOf('error', row)
  const message = last_turn_id === row.turn_id ? (last_message ?? '').trim() : ''
  return error === TROUBLE && message !== '' ? `${error}: ${message.slice(-MAX_ERROR / 2)}` : error
}

function addTokens(before: SessionDigest['tokens'], usage: unknown): SessionDigest['tokens'] {
  const more = tokensOf(usage)
  if (!more) return before
  if (!before) return more
  return {
    input: before.input + more.input,
    output: before.output + more.output,
    cache_read: before.cache_read + more.cache_read,
    cache_write: before.cache_write + more.cache_write,
  }
}

/** The protocol reports the cost of the session so far. When it falls, a new process started counting anew. */
function withCost(digest: SessionDigest, cost: unknown): SessionDigest {
  if (!isObject(cost) || typeof cost.amount !== 'number' || cost.currency !== 'USD') return digest
  const costs = digest.cost ?? { earlier_usd: 0, current_usd: 0 }
  const earlier = cost.amount < costs.current_usd ? costs.earlier_usd + costs.current_usd : costs.earlier_usd
  return { ...digest, cost: { earlier_usd: earlier, current_usd: cost.amount } }
}
