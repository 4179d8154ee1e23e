// The host's socket: answers queries about its agent and lets people watch it and type.
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorText } from '../../../contract/errors.ts'
import type { OnceAnswers } from '../../../core/place/line/once-answers.ts'
import { systemClock } from '../../../lib/clock.ts'
import { type AgentTerminal, CutLineError } from '../agent-terminal.ts'
import { AgentReadsNothingError } from '../pty-writer.ts'
import { watchScreen } from '../watch-screen.ts'
import { type HostAnswer, type HostRequest, readLines, writeLine } from './host-protocol.ts'

export interface Hosted {
  name: string
  agent: AgentTerminal
  /** Resolves when no process of the agent is left and how it ended is recorded. */
  stop(graceMs: number): Promise<void>
  /** Where a client may lose its line before the answer: requests with an id are carried out once. */
  once?: OnceAnswers<Promise<HostAnswer>>
  /** Where the agent's records are read beside it. */
  hasSeen?(text: string, since: Date): Promise<boolean | null>
}

const MAX_CONNECTIONS = 64

export function listen(socketPath: string, hosted: Hosted): Promise<Server> {
  return listenPrivately(socketPath, (socket) => serveTerminal(socket, hosted))
}

/** On a socket that only its owner can connect to. */
export function listenPrivately(socketPath: string, accept: (socket: Socket) => void): Promise<Server> {
  rmSync(socketPath, { force: true })
  const server = createServer(accept)
  server.maxConnections = MAX_CONNECTIONS
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(socketPath, () => {
      chmodSync(socketPath, 0o600)
      resolve(server)
    })
  })
}

/** One client: of this host's socket, or a stream of the channel to a place. */
export function serveTerminal(socket: Duplex, hosted: Hosted): void {
  const { agent } = hosted
  // A client may disappear at any moment; its socket closes and that is all.
  socket.on('error', () => socket.destroy())
  let attached = false
  readLines<HostRequest>(socket, (request) => {
    if (request.op === 'input') {
      agent.input(request.data)
    } else if (request.op === 'resize') {
      agent.resize(size(request.cols), size(request.rows))
    } else if (request.op === 'await-end') {
      sendEnd(socket, agent)
    } else if (request.op !== 'attach' && request.op !== 'view') {
      answerOnce(request, hosted).then((reply) => writeLine(socket, reply))
    } else if (!attached) {
      attached = true
      if (request.op === 'attach') agent.resize(size(request.cols), size(request.rows))
      watchScreen(socket, agent, { answers: request.op === 'attach' })
    }
  })
}

/** The host itself waited for the end first, so by now it has recorded it. */
function sendEnd(socket: Duplex, agent: AgentTerminal): void {
  void agent.ended.then((end) => {
    writeLine(socket, { event: 'exit', ...end })
    socket.end()
  })
}

type Question = Exclude<HostRequest, { op: 'input' | 'resize' | 'attach' | 'view' | 'await-end' }>

function answerOnce(question: Question, hosted: Hosted): Promise<HostAnswer> {
  const id = 'id' in question ? question.id : undefined
  if (id === undefined || hosted.once === undefined) return answer(question, hosted)
  return hosted.once.answer(id, () => answer(question, hosted))
}

async function answer(question: Question, { name, agent, stop, hasSeen }: Hosted): Promise<HostAnswer> {
  try {
    switch (question.op) {
      case 'status':
        return { ok: true, name, pid: agent.pid }
      case 'paste':
        await agent.paste(question.text)
        return { ok: true }
      case 'keys':
        await agent.type(question.data)
        return { ok: true }
      case 'screen':
        await agent.settled()
        return { ok: true, text: question.styled ? agent.screen.styledText() : agent.screen.text(agent.size().rows) }
      case 'output':
        await agent.screen.flush()
        return { ok: true, text: agent.screen.text(question.lines) }
      case 'seen': {
        const since = new Date(question.since + (systemClock.now().getTime() - question.now))
        return { ok: true, seen: (await hasSeen?.(question.text, since)) ?? null }
      }
      case 'stop':
        await stop(question.graceMs)
        return { ok: true }
      default:
        return { ok: false, error: 'unknown request' }
    }
  } catch (error) {
    return {
      ok: false,
      error: errorText(error),
      ...(error instanceof AgentReadsNothingError && { partly: true }),
      ...(error instanceof CutLineError && { refused: true }),
    }
  }
}

/** Whatever a client sends, a terminal has a drawable size. */
function size(value: number): number {
  return Math.min(Math.max(Math.trunc(Number(value)) || 1, 1), 1_000)
}
