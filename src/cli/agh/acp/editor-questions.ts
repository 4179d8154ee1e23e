// The agent's questions that wait for a person, put to the editor. Its answer goes to exactly that question; what it leaves
// unanswered keeps waiting in agh, where it can be answered elsewhere.
import type { AgentContext } from '@agentclientprotocol/sdk'
import type { PermissionContent } from '../../../contract/agh/events.ts'
import { errorText } from '../../../contract/errors.ts'
import type { Agh } from '../agh-command.ts'
import { requestOf } from './to-editor.ts'

export interface EditorQuestions {
  /** An event about a question: asked, or decided, wherever that happened. */
  take(content: PermissionContent): void
  /** The editor knows the session from now on: open questions are put to it. */
  begin(): void
  /** None of them waits any longer. */
  close(): void
}

interface QuestionsOptions {
  sessionId: string
  client: AgentContext
  open(): Agh
  note(line: string): void
}

interface Question {
  content: PermissionContent
  /** Ends the wait, and withdraws it from the editor. */
  decided: AbortController
}

/** What the policy answers immediately is not put to anybody. */
const SETTLES_MS = 250

export function createEditorQuestions(options: QuestionsOptions): EditorQuestions {
  const open = new Map<string, Question>()
  let hasBegun = false
  const put = (id: string, question: Question) => {
    const timer = setTimeout(() => {
      ask(options, id, question).catch((error) => {
        if (!question.decided.signal.aborted) options.note(`${question.content.title} still waits: ${errorText(error)}`)
      })
    }, SETTLES_MS)
    question.decided.signal.addEventListener('abort', () => clearTimeout(timer))
  }
  const settle = (id: string) => {
    open.get(id)?.decided.abort()
    open.delete(id)
  }
  return {
    take(content) {
      // A decision of the policy without a question has none.
      const id = content.request_id
      if (id === undefined) return
      settle(id)
      if (content.decision !== null) return
      const question = { content, decided: new AbortController() }
      open.set(id, question)
      if (hasBegun) put(id, question)
    },
    begin() {
      if (!hasBegun) for (const [id, question] of open) put(id, question)
      hasBegun = true
    },
    close() {
      for (const id of [...open.keys()]) settle(id)
      hasBegun = false
    },
  }
}

async function ask({ sessionId, client, open }: QuestionsOptions, id: string, { content, decided }: Question) {
  const params = { id: sessionId }
  const { session } = await open().call('GET /api/sessions/:id', { params })
  // A log may end with a question that a crash left open.
  if (decided.signal.aborted || !session.pending_permissions.some(({ request_id }) => request_id === id)) return
  const request = requestOf(sessionId, id, content)
  const { outcome } = await client.request('session/request_permission', request, {
    cancellationSignal: decided.signal,
    stopWaitingOnCancel: true,
  })
  if (decided.signal.aborted || outcome.outcome !== 'selected') return
  await open().call('POST /api/sessions/:id/approve', { params, body: { request_id: id, option_id: outcome.optionId } })
}
