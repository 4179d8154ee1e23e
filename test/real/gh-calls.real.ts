// Records the calls of gh that Claude Code and Codex make in a session of the local forge: those that the scripted model asks
// for, as they reach gh through each agent's own shell, and those that the agent makes by itself. Writes
// test/fixtures/gh-calls-live.json (format it with biome), which test/flow/gh-live.test.ts plays again.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { GH_PROJECT, hideIssues } from '../support/gh-session.ts'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { untilFree } from './cells/outcome.ts'
import { beginLife, type Life } from './cells/session-life.ts'
import { GH_LINES, REVIEWED_BEFORE } from './model/gh-lines.ts'
import type { Step } from './model/model-server.ts'
import { DONE } from './model/script.ts'
import { TERMINAL_AGENTS } from './terminal-agents.ts'

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'gh-calls-live.json')
const RECORDER = join(import.meta.dirname, '..', 'fixtures', 'record-gh.mjs')

interface LiveCall {
  /** Of the line that the model asked for; null: the agent called it by itself. */
  line: string | null
  args: string[]
  input?: string
  environment: Record<string, string>
  exitCode: number
  stdout: string
  stderr: string
}

const { about: _about, ...recorded } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Record<string, LiveCall[]>
const chosen = process.env.AO_REAL_AGENTS?.split(',') ?? ['claude-code', 'codex']

beforeAll(() => buildAo(), 120_000)
afterAll(() => {
  const about = 'Calls of gh recorded from live sessions by test/real/gh-calls.real.ts, with the answers of that time.'
  writeFileSync(FIXTURE, `${JSON.stringify({ about, ...recorded }, null, 2)}\n`)
})

describe.each(TERMINAL_AGENTS.filter(({ ao }) => chosen.includes(ao)))('$name', (agent) => {
  let life: Life
  beforeAll(async () => {
    life = await beginLife(agent, 'tmux', join(inject('agentsPrefix'), 'node_modules', '.bin'), GH_PROJECT)
  }, 120_000)
  afterAll(async () => expect(await life.close()).toEqual([]), 120_000)

  it('calls gh as it does in a task', async () => {
    const created = await life.ao('issue', 'new', 'Answer the question', '--body', 'What is the answer?', '-p', 'app')
    expect(created.code, created.stderr).toBe(0)
    const file = join(life.world.temp.home, 'gh-calls.jsonl')
    const spawned = await life.ao('spawn', '-p', 'app', '--prompt', 'TASK:HELLO')
    expect(spawned.code, spawned.stderr).toBe(0)
    await life.stepWith('TASK:HELLO', 90_000)
    const calls: LiveCall[] = []
    for (const [name, line] of Object.entries(GH_LINES)) {
      if (name === REVIEWED_BEFORE) await review(life)
      await untilFree(life)
      interpose(life, file)
      const showIssues = line.includes('gh pr create') ? hideIssues(projectOf(life)) : undefined
      await life.send(`TASK:SHELL ${name}`)
      const step = await life.stepWith(`TASK:SHELL ${name}`)
      const isResult = (one: Step) => one.askedAt > step.askedAt && 'text' in one.reply && one.reply.text === DONE
      await waitFor('the result', () => life.model.steps.find(isResult), 60_000)
      showIssues?.()
      const all = readCalls(file)
      const fresh = all.slice(calls.length)
      const own = line.match(/\bgh (?:\w+ \w+|api)/g)?.length ?? 0
      for (const [index, call] of fresh.entries()) calls.push({ line: index < own ? name : null, ...call })
    }
    recorded[agent.ao] = calls.map((call) => normalise(call, life))
    expect(calls.length).toBeGreaterThanOrEqual(Object.keys(GH_LINES).length)
  }, 600_000)
})

function projectOf({ world }: Life): string {
  const state = join(world.temp.home, '.agent-orchestrator')
  return join(state, readdirSync(state).find((name) => name.endsWith('-app'))!)
}

/** Commands of ao set the wrapper up again. */
function interpose(life: Life, file: string): void {
  const ao = join(life.world.temp.home, '.ao', 'bin', 'ao')
  const found = /^program='(.*)' entry='(.*)'$/m.exec(readFileSync(ao, 'utf8'))
  if (!found) return
  const [, program, entry] = found
  const commandLine = [program, RECORDER, file, program, entry].map((word) => `'${word}'`).join(' ')
  writeFileSync(ao, `#!/bin/sh\n# ao-wrapper for ao: records calls of gh.\nexec ${commandLine} "$@"\n`)
}

async function review(life: Life): Promise<void> {
  const commandLine = [
    'pr',
    'review',
    '1',
    '--request-changes',
    '-b',
    'Almost',
    '--line',
    'answer.txt:1:Sure?',
    '-p',
    'app',
  ]
  const done = await life.world.ao(commandLine, { env: { ...life.env, USER: 'sam' } })
  expect(done.code, done.stderr).toBe(0)
}

function readCalls(file: string): Array<Omit<LiveCall, 'line'>> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  return lines.map((line) => JSON.parse(line) as LiveCall)
}

/** Without what is only so on this machine. */
function normalise(call: LiveCall, life: Life): LiveCall {
  return JSON.parse(JSON.stringify(call).replaceAll(life.world.temp.home, '/home/maria')) as LiveCall
}
