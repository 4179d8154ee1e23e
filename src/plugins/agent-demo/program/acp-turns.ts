// The conversation's turns as the protocol's: a prompt begins one, updates report what happens, the response is its end.
import { sleep } from '../../../lib/clock.ts'
import type { Performance } from '../script/perform-step.ts'
import type { TurnContext } from '../script/plan-turn.ts'
import type { SessionLog } from '../session-log.ts'
import { createConversation } from './conversation.ts'
import { createInbox } from './inbox.ts'
import type { Conversation } from './replay-session.ts'
import { createPlanReporter, type SendUpdate, showStep } from './report-acp.ts'

/** The part of the SDK's client that is used. */
export interface AcpClient {
  notify(method: 'session/update', params: { sessionId: string; update: never }): Promise<void>
  request(method: 'session/request_permission', params: never): Promise<unknown>
}

export interface AcpTurnsOptions {
  log: SessionLog
  start: Conversation
  workspace: string
  env: NodeJS.ProcessEnv
  speed: number
  skipPermissions: boolean
  context: Omit<TurnContext, 'isFirst'>
  /** The script ends the process. */
  leave(code: number): void
}

export interface TurnEnd {
  how: 'finished' | 'failed' | 'interrupted'
  text: string
}

export interface AcpTurns {
  take(text: string, over: Wire): Promise<TurnEnd>
  interrupt(): void
}

interface Wire {
  sessionId: string
  client: AcpClient
}

export function createAcpTurns(options: AcpTurnsOptions): AcpTurns {
  const { start, speed } = options
  let wire: Wire | null = null
  let end: (how: TurnEnd) => void = () => undefined
  const sendUpdate: SendUpdate = (update) =>
    void wire?.client.notify('session/update', { sessionId: wire.sessionId, update: update as never })
  // The log's last record of a turn is its end; everything else is recorded as with a terminal.
  const log: SessionLog = {
    ...options.log,
    add(record) {
      options.log.add(record)
      if (record.type !== 'turn.ended') return
      // No model is called, so this is not an estimate.
      sendUpdate({ sessionUpdate: 'usage_update', used: 0, size: 0, cost: { amount: 0, currency: 'USD' } })
      end({ how: record.how, text: record.text })
    },
  }
  const say = (text: string) => sendUpdate({ sessionUpdate: 'agent_message_chunk', content: textBlock(`${text}\n`) })
  const inbox = createInbox(log, { pending: [], messageCount: start.messageCount })
  const conversation = createConversation({
    log,
    inbox,
    speed,
    display: { print: say, setState: () => undefined },
    perform: (signal) =>
      createAcpPerformance(signal, options, { say, sendUpdate: sendUpdate, ask: (what) => askPerson(wire, what) }),
    aroundStep: (step, act) => showStep(step, act, { sendUpdate: sendUpdate, workspace: options.workspace }),
    onPlan: createPlanReporter(sendUpdate),
    context: options.context,
    plan: { steps: start.steps, reactions: start.reactions },
    isFirst: start.messageCount === 0,
    cutOff: false,
  })
  void conversation.run().then(options.leave)
  return {
    take(text, over) {
      wire = over
      return new Promise((resolve) => {
        end = resolve
        inbox.accept(text)
      })
    },
    interrupt: () => void conversation.interrupt(),
  }
}

interface Voice {
  say(text: string): void
  sendUpdate: SendUpdate
  /** The person's yes or no; null when the question was withdrawn. */
  ask(question: Question): Promise<boolean | null>
}

interface Question {
  title: string
  kind: 'other' | 'execute'
}

const SIGN_OF_LIFE_MS = 5_000

function createAcpPerformance(signal: AbortSignal, options: AcpTurnsOptions, voice: Voice): Performance {
  const { log, workspace, env, skipPermissions, speed } = options
  const decide = async (question: Question): Promise<boolean> => {
    log.add({ type: 'waiting', kind: question.kind === 'other' ? 'question' : 'permission', text: question.title })
    const answer = await voice.ask(question)
    signal.throwIfAborted()
    return answer ?? false
  }
  return {
    workspace,
    env,
    signal,
    skipPermissions,
    say(text) {
      voice.say(text)
      log.add({ type: 'said', text })
    },
    async pass(seconds) {
      for (let left = (seconds * 1000) / speed; left > 0; left -= SIGN_OF_LIFE_MS) {
        const text = `${Math.ceil((left * speed) / 1000)} s to go\n`
        voice.sendUpdate({ sessionUpdate: 'agent_thought_chunk', content: textBlock(text) })
        await sleep(Math.min(left, SIGN_OF_LIFE_MS), { signal })
        signal.throwIfAborted()
      }
    },
    ask: async (question) => ((await decide({ title: question, kind: 'other' })) ? 'yes' : 'no'),
    mayI: (what) => decide({ title: what, kind: 'execute' }),
    // The protocol does not allow messages during a turn: only its end wakes it.
    async goSilent() {
      await sleep(2 ** 31 - 1, { signal })
      signal.throwIfAborted()
      return ''
    },
  }
}

let questions = 0

async function askPerson(wire: Wire | null, { title, kind }: Question): Promise<boolean | null> {
  if (!wire) return null
  const answer = (await wire.client.request('session/request_permission', {
    sessionId: wire.sessionId,
    toolCall: { toolCallId: `question-${++questions}`, title, kind, status: 'pending' },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  } as never)) as { outcome: { outcome: string; optionId?: string } }
  return answer.outcome.outcome === 'selected' ? answer.outcome.optionId === 'yes' : null
}

function textBlock(text: string) {
  return { type: 'text', text }
}
