// Pull requests, the agent's death and return, and its questions.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readProcessTable } from '../../../src/lib/process/process-table.ts'
import { waitFor } from '../../support/wait-for.ts'
import { PASSWORD } from './message-cells.ts'
import { type Cell, type Outcome, STATE_MS, seconds, timed, untilFree } from './outcome.ts'
import type { Life } from './session-life.ts'

export const pullRequest: Cell = {
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

export const kill: Cell = {
  name: 'kill -9: seen',
  async run(life) {
    const rows = readProcessTable().filter(
      (row) =>
        row.environment.value('AO_SESSION') === 'app-1' && row.environment.value('HOME') === life.world.temp.home,
    )
    const at = Date.now()
    life.noteEvent()
    for (const { identity } of rows) {
      try {
        process.kill(identity.pid, 'SIGKILL')
      } catch {
        // It ended with another one.
      }
    }
    const isEnd = ({ status, activity }: { status: string; activity: string }) =>
      /killed|exited|errored/.test(`${status} ${activity}`)
    const find = () => life.states().find((one) => one.at >= at && isEnd(one))
    const seen = await waitFor('its end', find, STATE_MS).catch(() => null)
    // On a busy machine the model may hear of its last request only after the kill.
    life.noteEvent()
    return timed(at, seen?.at ?? null, 'the end')
  },
}

export const restore: Cell = {
  name: 'restore resumes the conversation; messages arrive',
  async run(life) {
    const restored = await life.ao('session', 'restore', 'app-1')
    if (restored.code !== 0) return { verdict: 'no', note: restored.stderr.slice(0, 200) }
    const receipt = await life.send('TASK:RECALL the password')
    const step = await life.stepWith('TASK:RECALL the password', 40_000).catch(() => null)
    if (!step) return { verdict: 'no', note: `the message never arrived: ${receipt.level} ${receipt.why ?? ''}` }
    const remembers = step.userTexts.some((text) => text.includes(PASSWORD))
    return {
      verdict: remembers ? 'yes' : 'partly',
      note: remembers ? receipt.level.replace('_', ' ') : 'started afresh',
    }
  },
}

export const questions: Cell = {
  name: 'asks for permission twice: seen, a message is held, answered',
  async run(life) {
    const spawned = await life.ao('spawn', '-p', 'ask', '--prompt', `TASK:WRITE ${target(life, 1)}`)
    if (spawned.code !== 0) return { verdict: 'no', note: spawned.stderr.trim().slice(0, 200) }
    const first = await question(life, 1)
    if (first.verdict === 'no') return first
    await waitFor('the end of the turn', () => life.now('ask-1')?.activity === 'ready', STATE_MS)
    await life.ao('send', 'ask-1', `TASK:WRITE ${target(life, 2)}`)
    const second = await question(life, 2)
    const worse = (second.latencyMs ?? 0) > (first.latencyMs ?? 0) ? second : first
    const verdict = second.verdict === 'no' ? 'no' : worse.verdict
    return { ...worse, verdict, note: `${first.note}; ${second.note}` }
  },
}

const target = (life: Life, n: number) => join(life.worktree('ask-1'), `asked-${n}.txt`)

async function question(life: Life, n: number): Promise<Outcome> {
  const step = await life.stepWith(`TASK:WRITE ${target(life, n)}`, 90_000)
  const askedAt = await waitFor('the call', () => step.answeredAt)
  const seen = await life.stateSince(askedAt, ['waiting_input'], 60_000, 'ask-1')
  if (seen === null) {
    const done = existsSync(target(life, n)) ? 'and it wrote without asking' : 'and nothing was written'
    return { verdict: 'no', note: `question ${n} was not seen, ${done}` }
  }
  const held = n === 1 ? await life.sendTo('ask-1', 'TASK:HELLO while it asks') : null
  if (existsSync(target(life, n))) return { verdict: 'no', note: `question ${n} was answered by a message` }
  const approved = await life.ao('session', 'approve', 'ask-1')
  if (approved.code !== 0) return { verdict: 'no', note: `question ${n}: ${approved.stderr.slice(0, 160)}` }
  await waitFor('the file', () => existsSync(target(life, n)), 30_000)
  const arrived = held === null || (await life.stepWith('TASK:HELLO while it asks', 20_000).catch(() => null))
  const outcome = timed(askedAt, seen, `question ${n}`)
  if (!arrived) return { ...outcome, verdict: 'no', note: `the message never arrived (${held?.level})` }
  return { ...outcome, note: `question ${n} ${outcome.note}${held ? `, message ${held.level}` : ''}` }
}
