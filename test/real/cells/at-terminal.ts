// A person at the agent's terminal: keys in tmux, or through `ao session attach`.
import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { spawn } from '@lydell/node-pty'
import { AO } from '../../support/run-ao.ts'
import type { Life } from './session-life.ts'

/** Until the terminal has taken what was typed. */
export const BETWEEN_MS = 600

export async function atTerminal(life: Life, work: (press: (keys: string) => void) => Promise<void>): Promise<void> {
  if (life.runtime === 'tmux') {
    const target = `=${tmuxName(life)}:`
    return work((keys) => void tmux(life, 'send-keys', '-t', target, '-l', keys))
  }
  const terminal = spawn(process.execPath, [AO, 'session', 'attach', 'app-1'], {
    cwd: life.world.repo,
    env: { ...life.world.temp.env, ...life.env } as Record<string, string>,
    cols: 120,
    rows: 40,
  })
  const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()))
  await new Promise<void>((resolve) => {
    const shown = terminal.onData(() => {
      shown.dispose()
      resolve()
    })
  })
  await delay(BETWEEN_MS)
  await work((keys) => terminal.write(keys))
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
