import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { AoError } from '../../contract/errors.ts'
import { silentLog } from '../../lib/log.ts'
import { plugin } from './index.ts'

const OPEN = join(import.meta.dirname, '../../../test/fixtures/terminal/open-attached.ts')
const DETACH = '\u0002d'

let temp: TempHome
let terminals: IPty[]

beforeEach(() => {
  temp = createTempHome()
  terminals = []
  for (const name of ['first', 'second']) {
    tmux('-L', 'ao', 'new-session', '-d', '-s', name, `echo "this is $((1000 + 1)) ${name}"; exec cat`)
  }
})
afterEach(async () => {
  for (const terminal of terminals) terminal.kill('SIGKILL')
  for (const socket of ['default', 'ao']) tmuxQuietly('-L', socket, 'kill-server')
  expect(await temp.cleanup()).toEqual([])
})

function tmux(...args: string[]): string {
  return execFileSync('tmux', ['-f', '/dev/null', ...args], { env: temp.env, encoding: 'utf8', stdio: 'pipe' }).trim()
}

function tmuxQuietly(...args: string[]): void {
  try {
    tmux(...args)
  } catch {
    // This server was not needed in the test.
  }
}

/** A terminal of the user's, with a program in it. */
function openTerminal(...command: string[]): { pty: IPty; seen(): string } {
  const pty = spawn(command[0]!, command.slice(1), { cols: 100, rows: 30, env: temp.env })
  terminals.push(pty)
  let seen = ''
  pty.onData((data) => {
    seen += data
  })
  return { pty, seen: () => seen }
}

const attachTo = (name: string) => [process.execPath, OPEN, 'ao', name]
const clientOf = (name: string) => tmux('-L', 'ao', 'list-clients', '-t', `=${name}`, '-F', '#{client_pid}')

describe('the terminal attach with real tmux', () => {
  it('S0.58 shows the session, sends keys to it, and returns when the user detaches', async () => {
    const { pty, seen } = openTerminal(...attachTo('first'))
    await waitFor('the session on the screen', () => seen().includes('this is 1001 first'))
    pty.write('typed by hand\r')
    await waitFor('the keys in the session', () =>
      tmux('-L', 'ao', 'capture-pane', '-p', '-t', '=first:').includes('typed by hand\ntyped by hand'),
    )
    pty.write(DETACH)
    await waitFor('the way back', () => seen().includes('user left the session'))
    expect(tmux('-L', 'ao', 'list-sessions', '-F', '#{session_name}').split('\n')).toContain('first')
  })

  it("S0.58 works inside the user's own tmux", async () => {
    tmux('-L', 'default', 'new-session', '-d', '-s', 'mine', '-x', '100', '-y', '30')
    const { seen } = openTerminal('tmux', '-L', 'default', 'attach-session', '-t', '=mine')
    await waitFor("the user's own tmux", () => tmux('-L', 'default', 'list-clients', '-t', '=mine') !== '')
    tmux('-L', 'default', 'respawn-pane', '-k', '-t', '=mine:', attachTo('first').join(' '))
    await waitFor('the session inside it', () => seen().includes('this is 1001 first'))
    tmux('-L', 'default', 'send-keys', '-t', '=mine:', 'C-b', 'd')
    await waitFor('the session left', () => clientOf('first') === '')
    expect(seen()).not.toContain('nested')
  })

  it("S0.58 switches the user's client when it is in the session's server already", async () => {
    const { seen } = openTerminal('tmux', '-L', 'ao', 'attach-session', '-t', '=second')
    await waitFor('the second session', () => seen().includes('this is 1001 second'))
    tmux('-L', 'ao', 'respawn-pane', '-k', '-t', '=second:', `${attachTo('first').join(' ')}; exec cat`)
    await waitFor('the client in the first session', () => clientOf('first') !== '')
    expect(clientOf('second')).toBe('')
    await waitFor('the first session on the screen', () => seen().includes('this is 1001 first'))
  })

  it('says which session could not be opened', async () => {
    const { seen } = openTerminal(...attachTo('third'))
    await waitFor('the error', () => seen().includes('failed: Attaching to mya-1 failed: tmux exited with 1'))
  })
})

describe('the plugin', () => {
  const context = () => ({ home: temp.home, env: temp.env, log: silentLog, configDir: temp.home, dataDir: temp.home })

  it('refuses options that it does not have', () => {
    expect(() => plugin.create({ window: true }, context())).toThrow(AoError)
    expect(plugin.create({}, context()).name).toBe('attach')
  })
})
