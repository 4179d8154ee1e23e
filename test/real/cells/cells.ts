// The cells of docs/agents.md: one thing that ao must get right with an agent, measured against what the scripted model saw.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readProcessTable } from '../../../src/lib/process/process-table.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { Life } from './session-life.ts'

export interface Outcome {
  /** yes: as it should be. partly: right, but late or not exact. no: wrong. */
  verdict: 'yes' | 'partly' | 'no' | 'none'
  note: string
  /** Of the state that the cell is about. */
  latencyMs?: number
  falseStates?: number
}

export interface Cell {
  name: string
  run(life: Life): Promise<Outcome>
  /** In these runtimes only. */
  runtimes?: readonly string[]
}

const IN_TIME_MS = 1_000
const STATE_MS = 30_000

function timed(since: number, at: number | null, what: string): Outcome {
  if (at === null) return { verdict: 'no', note: `${what} was never reported` }
  const latencyMs = at - since
  return { verdict: latencyMs <= IN_TIME_MS ? 'yes' : 'partly', note: `${seconds(latencyMs)} s`, latencyMs }
}

const seconds = (ms: number) => (ms / 1000).toFixed(2)
const FREE = ['ready', 'idle']

async function untilFree(life: Life): Promise<void> {
  await waitFor('a free agent', () => FREE.includes(life.now()?.activity ?? ''), 90_000).catch(() => undefined)
}

async function turnEnd(life: Life, words: string): Promise<Outcome> {
  const step = await life.stepWith(words)
  const answeredAt = await waitFor('its answer', () => step.answeredAt, 20_000)
  return timed(answeredAt, await life.stateSince(answeredAt, FREE, STATE_MS), 'the end of the turn')
}

const PASSWORD = 'blue-tiger-42'

const start: Cell = {
  name: 'starts without a dialog; its prompt arrives exactly',
  async run(life) {
    const prompt = `Say ok. Keep in mind: the password is ${PASSWORD}`
    const began = Date.now()
    const spawned = await life.ao('spawn', '-p', 'app', '--prompt', prompt)
    if (spawned.code !== 0) return { verdict: 'no', note: spawned.stderr.trim().slice(0, 200) }
    const step = await life.stepWith(PASSWORD, 90_000)
    const note = `first request after ${seconds(step.askedAt - began)} s`
    const isExact = step.userTexts.some((text) => text.includes(prompt))
    return { verdict: isExact ? 'yes' : 'partly', note: isExact ? note : `${note}, text not exact` }
  },
}

const firstEnd: Cell = { name: 'end of the first turn', run: (life) => turnEnd(life, PASSWORD) }

/** `told`: what must be in it, where the whole is not searched for. */
function sendCell(name: string, text: (unique: string) => string): Cell {
  return {
    name: `send: ${name}`,
    async run(life) {
      await untilFree(life)
      const unique = `n${Date.now().toString(36)}`
      const message = text(unique)
      const receipt = await life.send(message)
      const step = await life.stepWith(unique, receipt.level === 'undelivered' ? 500 : 15_000).catch(() => null)
      const said = step?.userTexts.findLast((one) => one.includes(unique)) ?? null
      const isRefused = said === null && receipt.level === 'undelivered'
      if (isRefused) return { verdict: 'partly', note: `refused: ${receipt.why}` }
      if (said === null) return { verdict: 'no', note: `never at the model; ${receipt.level}: ${receipt.why ?? ''}` }
      const isExact = said.includes(message)
      const wanted = receipt.level === 'seen'
      const verdict = isExact && wanted ? 'yes' : 'partly'
      const shown = isExact ? '' : `: ${JSON.stringify(said.slice(0, 80))}`
      return { verdict, note: `${isExact ? 'exact' : 'not exact'}, ${receipt.level}${shown}` }
    },
  }
}

const COMMANDS = ['!', '/', '#', '@', '$', '&', '?', '>', '  '] as const

const SENDS = [
  sendCell('one line', (id) => `Please note ${id}`),
  sendCell('20 KB', (id) => `${id} ${'0123456789 '.repeat(1_860)}end`),
  sendCell('unicode', (id) => `${id} Grüße 日本語 👩‍👩‍👧 “quotes”`),
  sendCell('several lines', (id) => `${id} first\n\n  second, indented\n\tthird\n- fourth`),
  sendCell('decomposed letters and invisible marks', (id) => `${id} cafe\u0301 \u202eabc\u202c a\u200bb`),
  ...COMMANDS.map((mark) => sendCell(`begins with ${JSON.stringify(mark)}`, (id) => `${mark}${id} is text`)),
  sendCell('a path and an address', (id) => `${id} see @README.md and /etc/hosts and #12`),
]

const busy: Cell = {
  name: 'send while busy; stays active meanwhile',
  async run(life) {
    await untilFree(life)
    await life.send('TASK:TALK for a while')
    const step = await life.stepWith('TASK:TALK')
    const active = await life.stateSince(step.askedAt, ['active'], STATE_MS)
    const receipt = await life.send('a message in between')
    const false_ = life.states.filter(({ at, activity }) => active !== null && at > active && activity !== 'active')
    const { verdict, ...rest } = timed(step.askedAt, active, 'the start of the turn')
    return {
      ...rest,
      verdict: receipt.level === 'undelivered' ? 'no' : false_.length > 0 ? 'partly' : verdict,
      note: `${receipt.level}; active after ${rest.note}`,
      falseStates: false_.length,
    }
  },
}

const interrupt: Cell = {
  name: 'interrupt',
  async run(life) {
    const step = await life.stepWith('TASK:TALK')
    if (life.runtime === 'acp') {
      await life.ao('send', 'app-1', '--interrupt', 'stop here')
    } else {
      for (const key of life.agent.interruptKeys ?? ['Escape']) {
        spawnSync('tmux', ['-L', 'ao', 'send-keys', '-t', tmuxName(life), key], { env: life.world.temp.env })
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
    }
    const at = await waitFor('the agent to hang up', () => step.answeredAt, 20_000).catch(() => null)
    if (at === null) return { verdict: 'no', note: 'it went on' }
    return timed(at, await life.stateSince(at, FREE, STATE_MS), 'the interrupt')
  },
  runtimes: ['tmux'],
}

function tmuxName(life: Life): string {
  const { stdout } = spawnSync('tmux', ['-L', 'ao', 'list-sessions', '-F', '#{session_name}'], {
    env: life.world.temp.env,
    encoding: 'utf8',
  })
  return stdout.split('\n').find((name) => name.endsWith('-app-1')) ?? 'app-1'
}

const longTool: Cell = {
  name: 'a tool of 40 s: stays active',
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
    const wrong = life.states.filter(
      ({ at, activity }) => at > step.askedAt + 1_000 && at < ended && activity !== 'active',
    )
    const outcome = timed(step.askedAt, active, 'activity')
    const note = wrong.map(({ activity, at }) => `${activity} after ${seconds(at - began)} s`).join(', ')
    return {
      ...outcome,
      verdict: wrong.length > 0 ? 'no' : outcome.verdict,
      note: note || outcome.note,
      falseStates: wrong.length,
    }
  },
}

function errorCell(status: number): Cell {
  return {
    name: `HTTP ${status} of the model: blocked`,
    async run(life) {
      await untilFree(life)
      await life.send(`TASK:ERROR ${status}`)
      const step = await life.stepWith(`TASK:ERROR ${status}`)
      const at = await life.stateSince(step.askedAt, ['blocked'], 120_000)
      const last = life.model.steps.findLast(
        ({ verb, askedAt }) => verb === 'ERROR' && askedAt <= (at ?? Number.MAX_VALUE),
      )
      const outcome = timed(last?.answeredAt ?? step.askedAt, at, 'the error')
      await life.send('TASK:HELLO Never mind.')
      return outcome
    },
  }
}

const dialog: Cell = {
  name: 'asks for permission: seen, held, answered; a second question too',
  async run(life) {
    if (life.agent.asksNothing) return { verdict: 'none', note: 'it asks for nothing' }
    const target = (n: number) => join(life.worktree('ask-1'), `asked-${n}.txt`)
    const spawned = await life.ao('spawn', '-p', 'ask', '--prompt', `TASK:WRITE ${target(1)}`)
    if (spawned.code !== 0) return { verdict: 'no', note: spawned.stderr.trim().slice(0, 200) }
    const notes: string[] = []
    let worst = 0
    for (const n of [1, 2]) {
      const step = await life.stepWith(`TASK:WRITE ${target(n)}`, 90_000)
      const askedAt = await waitFor('the call', () => step.answeredAt)
      const seen = await waitFor(
        'needs_input',
        async () => (await statusOf(life, 'ask-1')) === 'needs_input',
        60_000,
      ).catch(() => null)
      if (seen === null) return { verdict: existsSync(target(n)) ? 'partly' : 'no', note: `question ${n} was not seen` }
      worst = Math.max(worst, Date.now() - askedAt)
      const approved = await life.ao('session', 'approve', 'ask-1')
      if (approved.code !== 0) return { verdict: 'no', note: `question ${n}: ${approved.stderr.slice(0, 120)}` }
      await waitFor('the file', () => existsSync(target(n)), 30_000)
      notes.push(`question ${n} within ${seconds(worst)} s`)
      if (n === 1) await life.ao('send', 'ask-1', `TASK:WRITE ${target(2)}`)
    }
    return { verdict: worst < 2_000 ? 'yes' : 'partly', note: notes.join(', '), latencyMs: worst }
  },
}

async function statusOf(life: Life, session: string): Promise<string> {
  const { session: found } = await life.world.json<{ session: { status: string } }>(['session', 'show', session], {
    env: life.env,
  })
  return found.status
}

const pullRequest: Cell = {
  name: 'opens a pull request with gh',
  async run(life) {
    await untilFree(life)
    await life.send('TASK:SHELL pull-request')
    const step = await life.stepWith('TASK:SHELL pull-request')
    const at = await waitFor('the call', () => step.answeredAt)
    const file = join(life.dataDir(), 'pulls', '1', 'events.jsonl')
    const opened = await waitFor('the pull request', () => existsSync(file) && Date.now(), 25_000).catch(() => null)
    if (opened === null) return { verdict: 'no', note: 'nothing was opened' }
    return { verdict: 'yes', note: `opened within ${seconds(opened - at)} s` }
  },
}

const kill: Cell = {
  name: 'kill -9: seen',
  async run(life) {
    const rows = readProcessTable().filter(
      (row) =>
        row.environment.value('AO_SESSION') === 'app-1' && row.environment.value('HOME') === life.world.temp.home,
    )
    const at = Date.now()
    for (const { identity } of rows) {
      try {
        process.kill(identity.pid, 'SIGKILL')
      } catch {
        // It ended with another one.
      }
    }
    const seen = await waitFor(
      'its end',
      () => life.states.find((one) => one.at >= at && /killed|exited|errored/.test(`${one.status} ${one.activity}`)),
      STATE_MS,
    ).catch(() => null)
    return timed(at, seen?.at ?? null, 'the end')
  },
}

const restore: Cell = {
  name: 'restore resumes the conversation; messages arrive',
  async run(life) {
    const restored = await life.ao('session', 'restore', 'app-1')
    if (restored.code !== 0) return { verdict: 'no', note: restored.stderr.slice(0, 200) }
    const receipt = await life.send('TASK:RECALL the password')
    const step = await life.stepWith('TASK:RECALL the password', 40_000).catch(() => null)
    if (!step) return { verdict: 'no', note: `the message never arrived: ${receipt.level} ${receipt.why ?? ''}` }
    const remembers = step.userTexts.some((text) => text.includes(PASSWORD))
    return { verdict: remembers ? 'yes' : 'partly', note: remembers ? receipt.level : 'started afresh' }
  },
}

const tokens: Cell = {
  name: 'tokens, against the model server',
  async run(life) {
    await untilFree(life)
    const { session } = await life.world.json<{
      session: { cost: { inputTokens: number; outputTokens: number } | null }
    }>(['session', 'show', 'app-1'], { env: life.env })
    if (!session.cost) return { verdict: 'no', note: 'none' }
    const steps = life.model.steps.filter(
      ({ reply, userTexts }) => !('error' in reply) && !userTexts.some((text) => text.includes('ask-1')),
    )
    const counted = session.cost.outputTokens
    const ended = steps.filter(({ reply }) => !('endless' in reply)).length * 20
    const note = `${counted} of ${ended} output tokens`
    return { verdict: counted === ended ? 'yes' : counted > 0 ? 'partly' : 'no', note }
  },
}

export const CELLS: readonly Cell[] = [
  start,
  firstEnd,
  ...SENDS,
  {
    name: 'end of a turn',
    async run(life) {
      await untilFree(life)
      await life.send('A turn that ends')
      return turnEnd(life, 'A turn that ends')
    },
  },
  longTool,
  pullRequest,
  tokens,
  busy,
  interrupt,
  ...[500, 429, 529].map(errorCell),
  kill,
  restore,
  dialog,
]
