// An agent on a terminal, as its host has it: the screen is all that is kept of its output, and it may be recorded.
import type { Duplex } from 'node:stream'
import { currentProcess, formatIdentity, identify } from '../../lib/process/process-identity.ts'
import { createInbox, type Inbox, REMEMBERED_KEYS } from '../inbox.ts'
import type { AgentExit } from '../protocol.ts'
import { createReaders, type Hosted } from '../serve.ts'
import { outcomeOf, type ServedTerminal } from '../serve-terminal.ts'
import type { HostSpec, TerminalSpec } from '../spec.ts'
import type { AgentIo } from './agent-io.ts'
import { type AgentTerminal, startOnTerminal } from './pty.ts'
import { recordAgent } from './record.ts'

/** Of the last screen, for whoever asks why it ended. */
const LAST_LINES = 200

export async function startTerminal(spec: HostSpec, terminal: TerminalSpec): Promise<AgentIo> {
  const { cols, rows, recording } = terminal
  const agent = await startOnTerminal({ ...spec, cols, rows })
  const recorder = recording === null ? null : recordAgent(recording, spec, agent)
  let exit: AgentExit | null = null
  const ended = agent.ended.then(async (status) => {
    exit = status
    await recorder?.end(status.signal ?? `exit code ${status.code}`)
    return { ...status, screen: agent.screen.text(LAST_LINES) }
  })
  return {
    identity: identify(agent.pid),
    inbox: createInbox(REMEMBERED_KEYS),
    stderr: () => ({ total: 0, tail: '' }),
    write: writeTo(agent),
    exit: () => exit,
    ended,
    serve: () => undefined,
    terminal: { agent },
  }
}

function writeTo(agent: AgentTerminal): Hosted['write'] {
  return async (bytes, byHand) => {
    const keys = bytes.toString('utf8')
    if (!byHand) return outcomeOf(agent.type(keys))
    agent.input(keys)
    return { ok: true }
  }
}

export interface ClientsTerminal extends ServedTerminal {
  name: string
  spawnId: string
  /** Of all streams together. */
  inbox: Inbox
  stop(graceMs: number): Promise<void>
}

/** One client of a terminal that is not this program's own, on whatever stream it came. */
export function serveTerminal(stream: Duplex, { name, spawnId, inbox, stop, agent, hasSeen }: ClientsTerminal): void {
  const host = formatIdentity(currentProcess())
  const readers = createReaders({
    state: () => ({
      name,
      spawnId,
      host,
      agent: null,
      taken: [],
      stderr: { total: 0, tail: '' },
      exit: null,
      keep: null,
    }),
    inbox,
    write: writeTo(agent),
    stop: (graceMs) => stop(graceMs).then(() => []),
    ended: agent.ended,
    terminal: { agent, hasSeen },
  })
  readers.accept(stream)
}
