// One session as an editor sees it. Everything reaches the editor from the event log, by one reader with one position: first
// what is stored, then what happens, each event once and in order, whoever began the turn. Leaving changes nothing.
import { randomUUID } from 'node:crypto'
import type { AgentContext, StopReason } from '@agentclientprotocol/sdk'
import type { SessionView } from '../../../contract/agh/answers.ts'
import type { SentFile } from '../../../contract/agh/attachment.ts'
import { type SessionEvent, TURN_ENDS } from '../../../contract/agh/events.ts'
import { AoError } from '../../../contract/errors.ts'
import { sleep } from '../../../lib/clock.ts'
import type { Agh } from '../agh-command.ts'
import { followSession } from '../daemon-link.ts'
import { createEditorQuestions } from './editor-questions.ts'
import { settingsOf, stopReasonOf, updateOf } from './to-editor.ts'

export interface EditorSession {
  /** Everything that is stored, from the beginning. */
  replay(): Promise<void>
  /** From then on what happens, and the questions that wait. */
  follow(): void
  /** One turn, until it ends. */
  prompt(text: string, files: readonly SentFile[]): Promise<StopReason>
  cancel(): Promise<void>
}

export interface EditorSessionOptions {
  id: string
  client: AgentContext
  /** For each request of the editor anew: a daemon that was stopped since may be started again. */
  open(): Agh
  environment: Record<string, string>
  note(line: string): void
}

/** A prompt of this editor that has not ended. */
interface OpenPrompt {
  /** null: its turn has not begun. */
  turnId: string | null
  isCancelled: boolean
  /** The daemon has it. */
  isSent: boolean
  /** Resolves when the daemon has it, or never will. */
  settled: PromiseWithResolvers<void>
  end: PromiseWithResolvers<StopReason>
}

export function openEditorSession(options: EditorSessionOptions): EditorSession {
  const { id, client, open, environment, note } = options
  const params = { id }
  const prompts = new Map<string, OpenPrompt>()
  const questions = createEditorQuestions({ sessionId: id, client, open, note })
  /** The last event that the editor has. */
  let cursor = 0
  let following: Promise<void> | null = null
  let reader = new AbortController()

  const promptOf = (event: SessionEvent) => {
    if (event.type === 'user_message' || event.type === 'prompt_withdrawn') {
      return prompts.get(event.content.message_id ?? '')
    }
    if (!TURN_ENDS.includes(event.type)) return undefined
    return [...prompts.values()].find(({ turnId }) => turnId !== null && turnId === event.turn_id)
  }
  const take = async (event: SessionEvent, isLive: boolean) => {
    const own = promptOf(event)
    // The editor shows what it sent, and what its request was answered with.
    const update = own && isLive ? null : updateOf(event)
    if (update) await client.notify('session/update', { sessionId: id, update })
    cursor = event.sequence
    if (event.type === 'permission') questions.take(event.content)
    if (own) advance(own, event)
  }
  const readOn = async (signal: AbortSignal) => {
    const agh = open()
    for (;;) {
      for await (const event of followSession(agh.link, { params, query: { after: cursor }, signal })) {
        if (signal.aborted) return
        await take(event, true)
      }
      const sent = [...prompts.values()].filter(({ isSent }) => isSent)
      const { session } = await agh.call('GET /api/sessions/:id', { params })
      if (session.state === 'stopped') {
        questions.close()
        for (const { end } of sent) end.reject(stopped(session))
        // A prompt that is about to be sent resumes it.
        if (prompts.size === sent.length) return
        questions.begin()
      }
      await sleep(RETRY_MS)
    }
  }
  const follow = () => {
    questions.begin()
    const { signal } = reader
    following ??= readOn(signal)
      .catch((error) => {
        if (signal.aborted) return
        questions.close()
        for (const { end } of prompts.values()) end.reject(error)
      })
      .finally(() => {
        following = null
      })
  }
  const leave = async () => {
    reader.abort()
    await following
    reader = new AbortController()
    questions.close()
  }
  /** A stopped session continues under its id, as with `agh session resume`. */
  const ensureRunning = async (agh: Agh) => {
    const { session } = await agh.call('GET /api/sessions/:id', { params })
    if (session.state !== 'stopped') return
    const resumed = await agh.call('POST /api/sessions/:id/resume', { params, body: { environment } })
    const { configOptions } = settingsOf(resumed.session.offers)
    if (!configOptions) return
    const update = { sessionUpdate: 'config_option_update' as const, configOptions }
    await client.notify('session/update', { sessionId: id, update })
  }
  const withdraw = async (prompt: string) => {
    try {
      await open().call('DELETE /api/sessions/:id/queue/:prompt', { params: { id, prompt } })
      return true
    } catch {
      // Its turn has begun, or is over.
      return false
    }
  }

  return {
    follow,
    async replay() {
      await leave()
      cursor = 0
      const { call } = open()
      for (;;) {
        const { events } = await call('GET /api/sessions/:id/events', { params, query: { after: cursor, limit: PAGE } })
        for (const event of events) await take(event, false)
        if (events.length < PAGE) return
      }
    },
    async prompt(text, files) {
      const message_id = `editor-${randomUUID()}`
      const prompt = newPrompt()
      prompts.set(message_id, prompt)
      try {
        const agh = open()
        await ensureRunning(agh)
        follow()
        if (prompt.isCancelled) return 'cancelled'
        await deliver(agh, params, { message: text, message_id, ...(files.length > 0 && { files: [...files] }) })
        prompt.isSent = true
        prompt.settled.resolve()
        return await prompt.end.promise
      } finally {
        prompt.settled.resolve()
        prompts.delete(message_id)
      }
    },
    async cancel() {
      const own = [...prompts]
      for (const [, prompt] of own) prompt.isCancelled = true
      await Promise.all(own.map(([, { settled }]) => settled.promise))
      const waiting = own.filter(([, { turnId }]) => turnId === null)
      const withdrawn = await Promise.all(waiting.map(([one]) => withdraw(one)))
      // The turn that they waited behind is somebody else's, and continues.
      if (own.length > 0 && withdrawn.length === own.length && withdrawn.every(Boolean)) return
      await open().call('POST /api/sessions/:id/prompt/cancel', { params })
    },
  }
}

const PAGE = 1_000
const RETRY_MS = 250

function newPrompt(): OpenPrompt {
  const end = Promise.withResolvers<StopReason>()
  // Nobody waits for it before it is sent.
  end.promise.catch(() => undefined)
  return { turnId: null, isCancelled: false, isSent: false, settled: Promise.withResolvers(), end }
}

function advance(prompt: OpenPrompt, event: SessionEvent): void {
  if (event.type === 'user_message') prompt.turnId = event.turn_id
  else if (event.type === 'done') prompt.end.resolve(stopReasonOf(event.content))
  else if (event.type === 'prompt_withdrawn' || prompt.isCancelled) prompt.end.resolve('cancelled')
  else if (event.type === 'error') prompt.end.reject(new AoError('AGENT_FAILED', event.content.error))
}

type Message = { message: string; message_id: string; files?: SentFile[] }

/** The same id is the same message, so it may be sent again when a daemon ended without an answer. */
async function deliver({ call }: Agh, params: { id: string }, body: Message): Promise<void> {
  const send = () => call('POST /api/driver/sessions/:id/messages', { params, body })
  await send().catch((error) => {
    if (error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING') return send()
    throw error
  })
}

function stopped({ id, stop_reason, stop_detail }: SessionView): AoError {
  const why = [stop_reason, stop_detail].filter(Boolean).join(': ')
  return new AoError('SESSION_NOT_ACTIVE', `Session ${id} was stopped (${why}); the next prompt resumes it`)
}
