// Commits the offset in the agent's output, and the state there, with every commit of the session's events; and tells the
// agent's host what it need not keep any longer. core/agh/machine/bookmark.ts says what the next daemon makes of it.
import { type BookmarkAgent, bookmarkNow } from '../../../core/agh/machine/bookmark.ts'
import { turnOf } from '../../../core/agh/machine/session-state.ts'
import { promptKey } from '../../acp/connection.ts'
import type { LiveSession } from '../live-session.ts'

/** Once its agent is connected. */
export function keepBookmark(session: LiveSession): void {
  const { store } = session
  const connection = session.connection!
  const spawn_id = session.meta.process!.spawn_id
  let committed: readonly unknown[] = []
  let turnId: string | null = null
  /** As of the newest read. */
  let read: { offset: number; settled: number; parts: readonly unknown[] } = { offset: 0, settled: 0, parts: [] }
  store.followBookmark({
    read() {
      const ofTurn = turnOf(session.state)?.id ?? null
      if (turnId !== null && turnId !== ofTurn) connection.settled.push(promptKey(turnId))
      turnId = ofTurn
      const agent = agentPart(session)
      const parts = Object.values(agent)
      read = { offset: connection.position.offset, settled: connection.settled.length, parts }
      const at = { spawn_id, place: read.offset, prompt_id: connection.position.promptId }
      const isSame = parts.length === committed.length && parts.every((part, index) => part === committed[index])
      const terminals = [...session.terminals.open.values()].flatMap(({ identity }) => identity ?? [])
      return {
        now: JSON.stringify(bookmarkNow(session.state, at)),
        agent: isSame
          ? null
          : JSON.stringify({ ...agent, terminals } satisfies BookmarkAgent & { open_terminals: number }),
      }
    },
    onCommitted() {
      committed = read.parts
      const forget = connection.settled.splice(0, read.settled)
      session.process?.commit(read.offset, forget.length > 0 ? forget : undefined)
    },
  })
}

/** Compared by identity with every commit, so nothing is built here. */
function agentPart({
  state,
  permissions,
  terminals,
}: LiveSession): Omit<BookmarkAgent, 'terminals'> & { open_terminals: number } {
  return {
    abilities: state.abilities,
    offers: state.offers,
    grants: state.grants,
    preface: state.preface,
    garbage_lines: state.garbageLines,
    next_permission: permissions.nextNumber,
    next_terminal: terminals.nextNumber,
    open_terminals: terminals.open.size,
  }
}
