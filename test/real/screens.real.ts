// Nothing is typed into what is not an input line: views and questions of real agents that are open while a message is sent. Their
// model is scripted. AO_REAL_AGENTS=qwen chooses some of them.
import { join } from 'node:path'
import { afterEach, beforeAll, expect, inject, it } from 'vitest'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { atTerminal } from './cells/at-terminal.ts'
import { untilFree } from './cells/outcome.ts'
import { beginLife, type Life } from './cells/session-life.ts'
import { TERMINAL_AGENTS } from './terminal-agents.ts'

interface Case {
  agent: string
  what: string
  /** Keys, or a message to the model that makes it ask. */
  open: { keys: string; shows: string } | { message: string }
  /** Keys that close it. */
  close: string
}

const CTRL_O = '\u000f'
const CTRL_P = '\u0010'
const ESCAPE = '\u001b'

const CASES: Case[] = [
  {
    agent: 'claude-code',
    what: 'its transcript',
    open: { keys: CTRL_O, shows: 'Showing detailed transcript' },
    close: CTRL_O,
  },
  { agent: 'claude-code', what: 'a multi-select question', open: { message: 'TASK:ASK many' }, close: ESCAPE },
  { agent: 'opencode', what: 'its command palette', open: { keys: CTRL_P, shows: 'Commands' }, close: ESCAPE },
  { agent: 'opencode', what: 'a question', open: { message: 'TASK:ASK one' }, close: ESCAPE },
  { agent: 'gemini', what: 'a question', open: { message: 'TASK:ASK one' }, close: ESCAPE },
  { agent: 'qwen', what: 'a multi-select question', open: { message: 'TASK:ASK many' }, close: ESCAPE },
]

/** By then a key that was taken shows. */
const KEY_MS = 3_000

const chosen = process.env.AO_REAL_AGENTS?.split(',')
let life: Life

beforeAll(() => buildAo(), 120_000)
afterEach(async () => {
  expect(await life.close()).toEqual([])
}, 120_000)

it.each(CASES.filter(({ agent }) => chosen?.includes(agent) ?? true))(
  '$agent: $what holds a message, which arrives afterwards',
  async ({ agent, open, close, what }) => {
    const found = TERMINAL_AGENTS.find(({ ao }) => ao === agent)!
    life = await beginLife(found, 'tmux', join(inject('agentsPrefix'), 'node_modules', '.bin'))
    const spawned = await life.ao('spawn', '-p', 'app', '--prompt', 'TASK:HELLO')
    expect(spawned.code, spawned.stderr).toBe(0)
    await life.stepWith('TASK:HELLO', 150_000)
    await untilFree(life)
    if ('keys' in open) {
      await atTerminal(life, async ({ press, sees }) => {
        press(open.keys)
        await sees(open.shows)
      })
    } else {
      await life.send(open.message)
      const request = await life.stepWith(open.message)
      const answeredAt = await waitFor('the question', () => request.answeredAt, 30_000)
      const seen = await life.stateSince(answeredAt, ['waiting_input'], 10_000)
      console.log(`${agent}: ${what}: seen after ${seen === null ? 'never' : `${seen - answeredAt} ms`}`)
      expect(seen).not.toBeNull()
    }
    const receipt = await life.send('TASK:HELLO mind the gap')
    console.log(`${agent}: ${what}: ${receipt.level}: ${receipt.why}`)
    expect(receipt).toMatchObject({ level: 'held' })
    expect(life.model.heard('mind the gap')).toBe(0)
    await atTerminal(life, async ({ press, shows }) => {
      const isOpen = () => ('keys' in open ? shows(open.shows) : life.now()?.activity === 'waiting_input')
      // Claude Code ignores a key right after its question appeared (2.1.325), and a second Escape after the first one would do
      // something else.
      await waitFor('it to be closed', async () => {
        press(close)
        return waitFor('its end', () => !isOpen(), KEY_MS).catch(() => null)
      })
    })
    await life.stepWith('mind the gap', 60_000)
  },
  400_000,
)
