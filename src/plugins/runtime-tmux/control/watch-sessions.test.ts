import { existsSync } from 'node:fs'
import { spawn } from '@lydell/node-pty'
import { expect, it } from 'vitest'
import { waitFor } from '../../../../test/support/wait-for.ts'
import type { ControlPool } from './control-pool.ts'
import { watchSessions } from './watch-sessions.ts'

it.runIf(existsSync('/dev/pts'))(
  'reports a session whose terminal vanished while tmux was still being asked about it',
  async () => {
    const terminal = spawn('sleep', ['60'], {})
    const path = (terminal as unknown as { ptsName: string }).ptsName
    const pane = (isDead: boolean) =>
      `app-1:%1/${terminal.pid}/${isDead ? '1//9' : '0//'}//${path.split('/').at(-1)}/socket`
    let questions = 0
    async function ask(): Promise<{ kind: 'done'; stdout: string }> {
      questions += 1
      if (questions > 1) return { kind: 'done', stdout: pane(true) }
      // The answer was true when tmux wrote it.
      terminal.kill('SIGKILL')
      await waitFor('the terminal to vanish', () => !existsSync(path))
      return { kind: 'done', stdout: pane(false) }
    }
    const controls: ControlPool = { ask, hold: () => ({ client: async () => null, release: async () => undefined }) }
    const server = { address: ['-L', 'none'], configFile: '/nowhere', env: {}, openClients: controls }
    const told: string[] = []
    const watching = watchSessions({ server, controls, timeoutMs: 1_000 }, (names) => told.push(...names))
    watching.follow([{ id: 'app-1', runtimeName: 'tmux', data: {} }])
    await waitFor('the news', () => told.length > 0)
    expect(told).toEqual(['app-1'])
    watching.close()
  },
)
