// Ends an agent's turn as a person does: with the agent's own keys in its terminal, or `agh session cancel`.
import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { spawn } from '@lydell/node-pty'
import { AO } from '../../support/run-ao.ts'
import type { Life } from './session-life.ts'

const ESCAPE = '\u001b'

/** What a person does: Escape, and once more if the agent continues. Some want it twice. */
const MOST_PRESSES = 4
const BETWEEN_MS = 600

export async function interruptAgent(life: Life, isOver: () => boolean): Promise<void> {
  if (life.runtime === 'acp') return life.cancelOverAcp()
  if (life.runtime === 'tmux') {
    const target = `=${tmuxName(life)}:`
    return pressUntil(isOver, () => tmux(life, 'send-keys', '-t', target, 'Escape'))
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
  await pressUntil(isOver, () => terminal.write(ESCAPE))
  terminal.kill('SIGHUP')
  await ended
}

async function pressUntil(isOver: () => boolean, press: () => void): Promise<void> {
  for (let n = 0; n < MOST_PRESSES && !isOver(); n++) {
    press()
    await delay(BETWEEN_MS)
  }
}

function tmux(life: Life, ...args: string[]): string {
  return spawnSync('tmux', ['-L', 'ao', ...args], { env: life.world.temp.env, encoding: 'utf8' }).stdout
}

function tmuxName(life: Life): string {
  const names = tmux(life, 'list-sessions', '-F', '#{session_name}').split('\n')
  return names.find((name) => name.endsWith('-app-1')) ?? 'app-1'
}
