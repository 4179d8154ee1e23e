// A person at the agent's terminal: keys in tmux, or through `ao session attach`.
import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { spawn } from '@lydell/node-pty'
import { createScreen } from '../../../src/host/io/screen.ts'
import { AO } from '../../support/run-ao.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { Life } from './session-life.ts'

/** Until the terminal has taken what was typed. */
export const BETWEEN_MS = 600

const COLS = 120
const ROWS = 40

export interface Person {
  press(keys: string): void
  /** Now. */
  shows(text: string): boolean
  /** A slow agent draws what was typed much later. */
  sees(text: string): Promise<unknown>
}

export async function atTerminal(life: Life, work: (person: Person) => Promise<void>): Promise<void> {
  if (life.runtime === 'tmux') {
    const target = `=${tmuxName(life)}:`
    const shows = (text: string) => tmux(life, 'capture-pane', '-p', '-t', target).includes(text)
    return work({
      press: (keys) => void tmux(life, 'send-keys', '-t', target, '-l', keys),
      shows,
      sees: (text) => waitFor(text, () => shows(text), 20_000),
    })
  }
  const terminal = spawn(process.execPath, [AO, 'session', 'attach', 'app-1'], {
    cwd: life.world.repo,
    env: { ...life.world.temp.env, ...life.env } as Record<string, string>,
    cols: COLS,
    rows: ROWS,
  })
  const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()))
  // A program may draw only what has changed, letter by letter.
  const screen = createScreen(COLS, ROWS)
  const drawing = terminal.onData((data) => screen.write(data, () => undefined))
  await new Promise<void>((resolve) => {
    const shown = terminal.onData(() => {
      shown.dispose()
      resolve()
    })
  })
  await delay(BETWEEN_MS)
  const shows = (text: string) => screen.text(ROWS).includes(text)
  const sees = (text: string) => waitFor(text, () => shows(text), 20_000)
  await work({ press: (keys) => terminal.write(keys), shows, sees })
  drawing.dispose()
  terminal.kill('SIGHUP')
  await ended
}

function tmux(life: Life, ...args: string[]): string {
  return spawnSync('tmux', ['-L', 'ao', ...args], { env: life.world.temp.env, encoding: 'utf8' }).stdout
}

function tmuxName(life: Life): string {
  const names = tmux(life, 'list-sessions', '-F', '#{session_name}').split('\n')
  return names.find((name) => name.endsWith('-app-1')) ?? 'app-1'
}
