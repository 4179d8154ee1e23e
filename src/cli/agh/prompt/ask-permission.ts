// A permission request while a turn is shown: asked here on a terminal, else the command that answers it is printed.
import { createInterface } from 'node:readline'
import { errorText } from '../../../contract/errors.ts'
import type { Io } from '../../io.ts'
import type { Agh } from '../open-agh.ts'
import type { Permissions } from './show-turn.ts'

/** What the policy answers immediately is not shown as a question. */
const SETTLES_MS = 250

export function hintPermission(sessionId: string, io: Io): Permissions {
  return afterAWhile((requestId, title) => {
    io.note(`${io.noteStyle.yellow('?')} ${title}`)
    io.note(`  answer with: agh session approve ${sessionId} --request-id ${requestId} --decision allow-once`)
  })
}

/** One question at a time; one that is answered elsewhere is withdrawn. */
export function askOnTerminal(agh: Agh, sessionId: string, io: Io): Permissions {
  const waiting: Array<{ requestId: string; title: string }> = []
  let open: { requestId: string; withdraw: AbortController } | null = null
  const next = () => {
    const question = waiting.shift()
    if (open || !question) return
    const { requestId, title } = question
    const withdraw = new AbortController()
    open = { requestId, withdraw }
    void ask(io, `${io.noteStyle.yellow('?')} ${title} [y/N] `, withdraw.signal).then(async (answer) => {
      open = null
      if (answer !== null) await send(requestId, /^\s*y(es)?\s*$/i.test(answer) ? 'allow-once' : 'reject-once')
      next()
    })
  }
  const send = async (request_id: string, decision: 'allow-once' | 'reject-once') => {
    try {
      await agh.call('POST /api/sessions/:id/approve', { params: { id: sessionId }, body: { request_id, decision } })
    } catch (error) {
      io.note(`${io.noteStyle.red('error:')} ${errorText(error)}`)
    }
  }
  const later = afterAWhile((requestId, title) => {
    waiting.push({ requestId, title })
    next()
  })
  const withdraw = (isMeant: (requestId: string) => boolean) => {
    for (const one of waiting.filter(({ requestId }) => isMeant(requestId))) waiting.splice(waiting.indexOf(one), 1)
    if (open && isMeant(open.requestId)) open.withdraw.abort()
  }
  return {
    requested: later.requested,
    decided(requestId) {
      later.decided(requestId)
      withdraw((one) => one === requestId)
    },
    close() {
      later.close()
      withdraw(() => true)
    },
  }
}

function afterAWhile(show: (requestId: string, title: string) => void): Permissions {
  const timers = new Map<string, NodeJS.Timeout>()
  return {
    requested: (requestId, title) => void timers.set(requestId, setTimeout(show, SETTLES_MS, requestId, title)),
    decided: (requestId) => clearTimeout(timers.get(requestId)),
    close() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

/** null: withdrawn, or left with Ctrl-D. */
function ask(io: Io, text: string, signal: AbortSignal): Promise<string | null> {
  const input = createInterface({ input: io.stdin, output: process.stderr, terminal: true })
  return new Promise<string | null>((resolve) => {
    input.once('close', () => resolve(null))
    // readline captures Ctrl-C; it is meant for the command.
    input.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    signal.addEventListener('abort', () => input.close(), { once: true })
    input.question(text, resolve)
  }).finally(() => input.close())
}
