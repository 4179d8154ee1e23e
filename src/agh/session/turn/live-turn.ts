// The one way the turn of a live session changes: `turn` is read-only for everybody else.
import { evolve, type Turn, type TurnInput } from '../../../core/agh/session/turn.ts'
import { type AghContext, nowMs } from '../context.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'

/** From here on no other turn begins. */
export function takeTurn(session: { turn: RunningTurn | null }, running: RunningTurn): void {
  session.turn = running
}

/** Something happened in it. */
export function noteInTurn(
  context: AghContext,
  running: { turn: Turn },
  input: TurnInput,
  at: number = nowMs(context),
): void {
  running.turn = evolve(running.turn, input, at)
}

/** Another one may begin. Of a turn that is over already nothing changes. */
export function leaveTurn(session: LiveSession, running: RunningTurn): void {
  if (session.turn === running) clear(session)
}

function clear(session: { turn: RunningTurn | null }): void {
  session.turn = null
}
