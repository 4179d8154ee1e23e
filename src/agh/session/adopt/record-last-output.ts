// The agent's host is gone too, and so is the agent: what the host had kept and no daemon had recorded is still recorded, from
// the bookmark on, before the session is repaired. Each line is committed with its offset, so a second repair adds nothing.

import { existsSync } from 'node:fs'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { bookmarkNow, readBookmarkAgent, readBookmarkNow, recallState } from '../../../core/agh/machine/bookmark.ts'
import type { Command } from '../../../core/agh/machine/command.ts'
import { decide, evolve } from '../../../core/agh/machine/decide.ts'
import { type SessionState, turnOf } from '../../../core/agh/machine/session-state.ts'
import { answeredTurn, usageOfTurn } from '../../../core/agh/session/turn-end.ts'
import { isObject } from '../../../core/text/json-fields.ts'
import { splitLines } from '../../../host/split-lines.ts'
import { readLeftover } from '../../../host/spool.ts'
import { nowMs } from '../../../lib/clock.ts'
import { agentHostDirectory } from '../../acp/agent-host.ts'
import { readPlainUpdate } from '../../acp/read-plain-update.ts'
import type { EventStore } from '../../store/event-store.ts'
import { historyFile } from '../../store/meta-file.ts'
import { readBookmark } from '../../store/read-log.ts'
import type { AghContext } from '../context.ts'

const MAX_LINE_BYTES = 32 * 1024 * 1024

/** Nothing without a bookmark of this start of the agent. */
export async function recordLastOutput(context: AghContext, meta: SessionMeta, store: EventStore): Promise<void> {
  if (!meta.process) return
  const directory = agentHostDirectory(context.paths, { id: meta.id, process: meta.process })
  const stored = existsSync(directory) ? await readBookmark(historyFile(context.paths, meta.id)) : null
  const now = stored && readBookmarkNow(stored.now)
  const agent = stored && readBookmarkAgent(stored.agent)
  if (!now || !agent || now.spawn_id !== meta.process.spawn_id) return
  let state = recallState(now, agent)
  let { place: offset } = now
  store.followBookmark({
    read: () => ({ now: JSON.stringify(bookmarkNow(state, { ...now, place: offset })), agent: null }),
    onCommitted: () => undefined,
  })
  const feed = splitLines(MAX_LINE_BYTES, (line, end) => {
    store.hold()
    const command = commandOf(line, state, {
      ownSession: meta.acp_session_id,
      promptId: now.prompt_id,
      at: nowMs(context),
    })
    const decided = command && decide(meta.id, state, command)
    if (decided && !('refusal' in decided)) {
      for (const draft of decided.drafts) store.append(draft)
      if (decided.change) state = evolve(state, decided.change)
    }
    offset = end
    store.moveBookmark()
    store.release()
  })
  let at = now.place
  for (const piece of readLeftover(directory, now.place)) {
    if (!feed(piece, at)) break
    at += piece.length
  }
  store.flush()
}

interface Recorded {
  ownSession: string | null
  promptId: number | null
  at: number
}

/** null: nobody is left whom it would concern. */
function commandOf(line: string, state: SessionState, { ownSession, promptId, at }: Recorded): Command | null {
  const plain = readPlainUpdate(line)
  if (plain) return { type: 'take_update', ...plain, ofSession: plain.acpSessionId, ownSession, at }
  const message = parse(line)
  if (!message) return line.trim() === '' ? null : { type: 'take_garbage', line }
  const params = isObject(message.params) ? message.params : {}
  if (message.method === 'session/update' && isObject(params.update)) {
    const ofSession = typeof params.sessionId === 'string' ? params.sessionId : undefined
    return { type: 'take_update', update: params.update, json: undefined, ofSession, ownSession, at }
  }
  const turn = turnOf(state)
  if (!turn || message.id !== promptId || !isObject(message.result)) return null
  const { stopReason } = message.result
  const answer = {
    stopReason: typeof stopReason === 'string' ? stopReason : null,
    usage: usageOfTurn(message.result, { agentName: state.abilities.agentName, counted: state.counted }).usage,
  }
  return { type: 'end_turn', end: answeredTurn(turn, answer) }
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    // Agents print banners and warnings too.
    return null
  }
}
