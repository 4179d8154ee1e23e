// What the agent is doing, as ao reports it: turns, tools, errors of the model, and what it cost.
import { waitFor } from '../../support/wait-for.ts'
import { OUTPUT_TOKENS } from '../model/chat-apis.ts'
import { interruptAgent } from './interrupt-agent.ts'
import { PASSWORD } from './message-cells.ts'
import { type Cell, FREE, type Outcome, STATE_MS, seconds, timed, untilFree } from './outcome.ts'
import type { Life } from './session-life.ts'

async function turnEnd(life: Life, text: string): Promise<Outcome> {
  const step = await life.stepWith(text)
  const answeredAt = await waitFor('its answer', () => step.answeredAt, 20_000)
  return timed(answeredAt, await life.stateSince(answeredAt, FREE, STATE_MS), 'the end of the turn')
}

export const firstEnd: Cell = { name: 'end of the first turn', run: (life) => turnEnd(life, PASSWORD) }

export const turn: Cell = {
  name: 'a turn of three seconds: its start and its end',
  async run(life) {
    await untilFree(life)
    await life.send('TASK:SAY something')
    const step = await life.stepWith('TASK:SAY something')
    const began = timed(step.askedAt, await life.stateSince(step.askedAt, ['active'], STATE_MS), 'its start')
    const ended = await turnEnd(life, 'TASK:SAY something')
    const worse = (ended.latencyMs ?? Infinity) > (began.latencyMs ?? Infinity) ? ended : began
    return { ...worse, note: `start ${began.note}, end ${ended.note}` }
  },
}

export const longTool: Cell = {
  name: 'a tool of 40 s: active all the time',
  async run(life) {
    await untilFree(life)
    await life.send('TASK:SHELL sleep-40')
    const step = await life.stepWith('TASK:SHELL sleep-40')
    const began = await waitFor('the call', () => step.answeredAt)
    const ended = await waitFor(
      'its result',
      () => life.model.steps.find(({ askedAt, verb }) => askedAt > began + 30_000 && verb === 'SHELL')?.askedAt,
      120_000,
    ).catch(() => null)
    if (ended === null) return { verdict: 'no', note: 'the tool did not come back' }
    const active = await life.stateSince(step.askedAt, ['active'], 1)
    const wrong = life.states().filter(({ at, activity }) => at > (active ?? 0) && at < ended && activity !== 'active')
    if (wrong.length === 0) return timed(step.askedAt, active, 'activity')
    return {
      verdict: 'no',
      note: wrong.map(({ activity, at }) => `${activity} after ${seconds(at - began)} s`).join(', '),
    }
  },
}

export const busy: Cell = {
  name: 'send while it is busy',
  async run(life) {
    await untilFree(life)
    await life.send('TASK:TALK for a while')
    const step = await life.stepWith('TASK:TALK')
    const active = await life.stateSince(step.askedAt, ['active'], STATE_MS)
    const receipt = await life.send('TASK:HELLO in between')
    const outcome = timed(step.askedAt, active, 'the start of the turn')
    const note = `${receipt.level.replace('_', ' ')}; active after ${outcome.note}`
    return { ...outcome, note, verdict: receipt.level === 'undelivered' ? 'no' : outcome.verdict }
  },
}

/** After `busy`, whose turn it ends. */
export const interrupt: Cell = {
  name: 'interrupt; the message in between arrives',
  async run(life) {
    const step = await life.stepWith('TASK:TALK')
    await interruptAgent(life, () => step.answeredAt !== null)
    const at = await waitFor('the agent to hang up', () => step.answeredAt, 20_000).catch(() => null)
    if (at === null) return { verdict: 'no', note: 'its turn continued' }
    const free = await life.stateSince(at, FREE, STATE_MS)
    const outcome = timed(at, free, 'the interrupt')
    const arrived = await life.stepWith('TASK:HELLO in between', 20_000).catch(() => null)
    // An agent that continues with the message at once is free only after it.
    if (arrived && free !== null && arrived.askedAt < free) {
      const answeredAt = await waitFor('its answer', () => arrived.answeredAt, 20_000)
      return timed(answeredAt, await life.stateSince(answeredAt, FREE, STATE_MS), 'the end')
    }
    if (arrived || outcome.verdict === 'no') return outcome
    return { ...outcome, verdict: 'partly', note: `${outcome.note}; the message did not arrive` }
  },
}

/** What an agent may call it. */
const WORDS: Readonly<Record<number, RegExp>> = {
  401: /401|api.?key|authenticat|unauthori[sz]ed/i,
  429: /429|rate.?limit/i,
  500: /500|internal server error|high demand/i,
  529: /529|overloaded/i,
}

export const errorCell = (status: number): Cell => ({
  name: `HTTP ${status}: blocked, in its own words`,
  async run(life) {
    await untilFree(life)
    await life.send(`TASK:ERROR ${status}`)
    const step = await life.stepWith(`TASK:ERROR ${status}`)
    const at = await life.stateSince(step.askedAt, ['blocked'], 150_000)
    const last = life.model.steps.findLast(
      ({ verb, askedAt }) => verb === 'ERROR' && askedAt <= (at ?? Number.MAX_VALUE),
    )
    const outcome = timed(last?.answeredAt ?? step.askedAt, at, 'the error')
    const why = at === null ? '' : (await life.ao('why', 'app-1')).stdout
    if (life.agent.keepsTrying?.includes(status))
      await interruptAgent(life, () => FREE.includes(life.now()?.activity ?? ''))
    await life.send('TASK:HELLO Never mind.')
    if (at === null || WORDS[status]?.test(/it is blocked by: (.*)/.exec(why)?.[1] ?? '')) return outcome
    const because = why.split('\n').slice(0, 5).join(' ')
    return { ...outcome, verdict: 'partly', note: `${outcome.note}, without its words: ${because.slice(0, 200)}` }
  },
})

export const tokens: Cell = {
  name: 'tokens, against the model server',
  async run(life) {
    await untilFree(life)
    const { session } = await life.world.json<{
      session: { cost: { inputTokens: number; outputTokens: number } | null }
    }>(['session', 'show', 'app-1'], { env: life.env })
    if (!session.cost) return { verdict: 'partly', note: 'none' }
    const counted = session.cost.outputTokens
    const used =
      life.model.steps.filter(({ reply, isComplete }) => isComplete && !('error' in reply)).length * OUTPUT_TOKENS
    const note = `${counted} of ${used} output tokens`
    return { verdict: counted === used ? 'yes' : counted > 0 ? 'partly' : 'no', note }
  },
}
