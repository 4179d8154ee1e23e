// The demo agent's life: take a message, work through its plan step by step, wait for the next. Records every change first.
import { sleep } from '../../../lib/clock.ts'
import type { Display } from '../script/create-performance.ts'
import { type Outcome, type Performance, performStep } from '../script/perform-step.ts'
import { continuePlan, planTurn, type TurnContext } from '../script/plan-turn.ts'
import type { Script, Step } from '../script/script.ts'
import type { SessionLog } from '../session-log.ts'
import type { Inbox, Message } from './inbox.ts'

export interface ConversationOptions {
  log: SessionLog
  inbox: Inbox
  display: Display
  /** Everything runs this many times faster. */
  speed: number
  /** What the steps of a turn may use. */
  perform(signal: AbortSignal): Performance
  /** Shows a step to observers; it must call `act` and pass on its outcome. */
  aroundStep?(step: Step, act: () => Promise<Outcome>): Promise<Outcome>
  /** The remaining plan, whenever it changes. */
  onPlan?(left: readonly Step[]): void
  context: Omit<TurnContext, 'isFirst'>
  /** What an earlier process left to do. */
  plan: Script
  isFirst: boolean
  /** An earlier process ended in the middle: continue immediately. */
  cutOff: boolean
}

export interface Conversation {
  /** Resolves with the exit code. */
  run(): Promise<number>
  /** Stops the turn at its next step. false: there is none. */
  interrupt(): boolean
}

export function createConversation(options: ConversationOptions): Conversation {
  const state: TurnState = { plan: options.plan, isFirst: options.isFirst, turn: null, startedAt: 0 }
  return {
    async run() {
      let code = options.cutOff && state.plan.steps.length > 0 ? await takeTurn(null, state, options) : null
      while (code === null) code = await takeTurn(await options.inbox.next(), state, options)
      return code
    },
    interrupt() {
      if (state.turn === null || state.turn.signal.aborted) return false
      state.turn.abort(new Error('interrupted'))
      return true
    },
  }
}

interface TurnState {
  plan: Script
  isFirst: boolean
  turn: AbortController | null
  startedAt: number
}

const BETWEEN_STEPS_MS = 300

/** Resolves with an exit code when the process should end. */
async function takeTurn(
  message: Message | null,
  state: TurnState,
  options: ConversationOptions,
): Promise<number | null> {
  const { log, display } = options
  state.turn = new AbortController()
  state.startedAt = performance.now()
  log.add({ type: 'turn.started', message: message?.number ?? null })
  display.setState('working')
  if (message) state.plan = planTurn(message.text, state.plan, { ...options.context, isFirst: state.isFirst })
  else display.print('I was cut off; I continue where I stopped.')
  state.isFirst = false
  try {
    const end = await workThrough(state, options)
    if (end.next === 'leave') return end.code
    if (end.next === 'fail') return endTurn('failed', end.message, state, options)
    if (end.text !== '') log.add({ type: 'summary', text: end.text })
    return endTurn('finished', end.text, state, options)
  } catch (error) {
    if (!state.turn?.signal.aborted) throw error
    return endTurn('interrupted', '', state, options)
  }
}

const END_MESSAGES = {
  finished: 'Finished. I wait for your next message.',
  failed: 'I am blocked. Send a message and I continue.',
  interrupted: 'Interrupted. Send a message and I continue.',
}

function endTurn(how: keyof typeof END_MESSAGES, text: string, state: TurnState, options: ConversationOptions): null {
  const { display, log } = options
  if (how === 'finished') state.plan = { ...state.plan, steps: [] }
  state.turn = null
  if (text !== '') display.print(how === 'failed' ? `Error: ${text}` : text)
  const seconds = ((performance.now() - state.startedAt) / 1000).toFixed(1)
  display.print(`${END_MESSAGES[how]} (${seconds} s)`)
  log.add({ type: 'turn.ended', how, text })
  display.setState(how === 'failed' ? 'failed' : 'ready')
  return null
}

type End = Extract<Outcome, { next: 'finish' | 'fail' | 'leave' }>

async function workThrough(state: TurnState, options: ConversationOptions): Promise<End> {
  const { display } = options
  const signal = state.turn!.signal
  const stage = options.perform(signal)
  const around = options.aroundStep ?? ((_step, act) => act())
  let done = writePlan(state, options)
  for (let step = state.plan.steps[0]; step; step = state.plan.steps[0]) {
    signal.throwIfAborted()
    const description = describeStep(step)
    if (description) display.print(`* ${description}`)
    // Otherwise restarting a stuck agent would find it stuck again.
    if (step.verb === 'stuck') done = markDone(done, state, options)
    const outcome = await around(step, () => performStep(step, stage))
    signal.throwIfAborted()
    if (step.verb !== 'stuck') done = markDone(done, state, options)
    if (outcome.next === 'skip-one') done = markDone(done, state, options)
    if (outcome.next === 'heard') {
      state.plan = heard(outcome.message, step, state.plan)
      done = writePlan(state, options)
    }
    if (outcome.next === 'finish' || outcome.next === 'fail' || outcome.next === 'leave') return outcome
    await sleep(BETWEEN_STEPS_MS / options.speed, { signal })
    signal.throwIfAborted()
  }
  return { next: 'finish', text: '' }
}

/** An answer only continues the turn; a message to a silent agent may have a block of its own. */
function heard(message: string, step: Step, plan: Script): Script {
  const isNudge = step.verb === 'stuck'
  const { steps, reactions } = continuePlan(message, isNudge ? plan : { steps: plan.steps, reactions: [] })
  return { steps, reactions: isNudge ? reactions : [...reactions, ...plan.reactions] }
}

function writePlan(state: TurnState, { log, onPlan }: ConversationOptions): number {
  log.add({ type: 'plan', ...state.plan })
  onPlan?.(state.plan.steps)
  return 0
}

function markDone(done: number, state: TurnState, { log, onPlan }: ConversationOptions): number {
  if (state.plan.steps.length === 0) return done
  state.plan = { ...state.plan, steps: state.plan.steps.slice(1) }
  log.add({ type: 'step.done', index: done })
  onPlan?.(state.plan.steps)
  return done + 1
}

/** Announces steps that take time or print nothing themselves. */
function describeStep(step: Step): string | null {
  if (step.verb === 'think') return `thinking for ${step.seconds} s ...`
  if (step.verb === 'wait') return `waiting for ${step.seconds} s ...`
  if (step.verb === 'run') return `running ${step.argv.join(' ')} ...`
  if (step.verb === 'pr') return `opening a pull request: ${step.title}`
  if (step.verb === 'crash') return 'crashing now, as my script says'
  return null
}
