// Ends an agent's turn as a person does: with the agent's own keys in its terminal, or `agh session cancel`.
import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { spawn } from '@lydell/node-pty'
import { AO } from '../../support/run-ao.ts'
import type { Life } from './session-life.ts'

const ESCAPE = '\u001b'

export async function interruptAgent(life: Life): Promise<void> {
  if (life.runtime === 'acp') return life.cancelOverAcp()
  const times = life.agent.escapes ?? 1
  if (life.runtime === 'tmux') {
    for (let n = 0; n < times; n++) {
      tmux(life, 'send-keys', '-t', `=${tmuxName(life)}:`, 'Escape')
      await delay(150)
    }
    return
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
  await delay(500)
  for (let n = 0; n < times; n++) {
    terminal.write(ESCAPE)
    await delay(300)
  }
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
