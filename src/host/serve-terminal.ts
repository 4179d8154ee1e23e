// What clients can do with an agent's terminal.
import type { Duplex } from 'node:stream'
import { errorText } from '../contract/errors.ts'
import { systemClock } from '../lib/clock.ts'
import type { Seen } from '../slots/agent.ts'
import type { Inbox } from './inbox.ts'
import type { AgentTerminal } from './io/pty.ts'
import { watchScreen } from './io/view.ts'
import type { HostFrame, ReaderFrame, Took } from './protocol.ts'

export interface ServedTerminal {
  agent: AgentTerminal
  /** Where the agent's records are read beside it. */
  hasSeen?: ((text: string, since: Date) => Promise<Seen>) | undefined
}

export interface ClientTerminal extends ServedTerminal {
  inbox: Inbox
  send(stream: Duplex, frame: HostFrame, payload?: Buffer): void
}

/** Frames that no client sends are ignored. */
export function obeyClient(stream: Duplex, terminal: ClientTerminal, frame: ReaderFrame, payload: Buffer): void {
  const { agent, send } = terminal
  if (frame.op === 'resize') {
    agent.resize(size(frame.cols), size(frame.rows))
  } else if (frame.op === 'view') {
    watchScreen(stream, agent, { answers: frame.answers === true, send: (one, bytes) => send(stream, one, bytes) })
  } else if (frame.op === 'paste') {
    const pasted = terminal.inbox.take(frame.key, () => outcomeOf(agent.paste(payload.toString('utf8'))))
    void pasted.then((took) => send(stream, { op: 'took', n: frame.n, ...took }))
  } else if (frame.op === 'screen') {
    void readScreen(agent, frame).then((text) => send(stream, { op: 'text', n: frame.n }, Buffer.from(text)))
  } else if (frame.op === 'seen') {
    void hasSeen(terminal, frame, payload.toString('utf8')).then((seen) =>
      send(stream, { op: 'seen', n: frame.n, seen }),
    )
  }
}

/** What became of an attempt to enter something. */
export async function outcomeOf(entered: Promise<void>): Promise<Took> {
  try {
    await entered
    return { ok: true }
  } catch (error) {
    const { partly, refused } = error as { partly?: boolean; refused?: boolean }
    return { ok: false, why: errorText(error), partly, refused }
  }
}

async function readScreen(
  agent: AgentTerminal,
  { lines, styled }: Extract<ReaderFrame, { op: 'screen' }>,
): Promise<string> {
  if (lines !== undefined) {
    await agent.screen.flush()
    return agent.screen.text(lines)
  }
  await agent.settled()
  return styled ? agent.screen.styledText() : agent.screen.text(agent.size().rows)
}

/** null: nobody can tell. */
async function hasSeen(
  terminal: ServedTerminal,
  { since, now }: Extract<ReaderFrame, { op: 'seen' }>,
  text: string,
): Promise<Seen> {
  try {
    const sinceHere = new Date(since + (systemClock.now().getTime() - now))
    return (await terminal.hasSeen?.(text, sinceHere)) ?? null
  } catch {
    // Records that cannot be read do not say.
    return null
  }
}

/** Whatever a client sends, a terminal has a drawable size. */
function size(value: number): number {
  return Math.min(Math.max(Math.trunc(Number(value)) || 1, 1), 1_000)
}
