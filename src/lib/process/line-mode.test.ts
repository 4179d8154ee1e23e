// A real terminal, with a program that reads lines and one that reads keys.
import { spawn } from '@lydell/node-pty'
import { expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { isInLineMode } from './line-mode.ts'
import { identify } from './process-identity.ts'

it.each([
  ['reads lines', 'echo ready; cat', true],
  ['reads keys', 'stty -icanon; echo ready; cat', false],
])('a terminal whose program %s', async (_what, script, expected) => {
  const terminal = spawn('sh', ['-c', script], {})
  const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()))
  let shown = ''
  terminal.onData((data) => {
    shown += data
  })
  try {
    await waitFor('its first line', () => shown.includes('ready'))
    expect(await isInLineMode(identify(terminal.pid) ?? undefined)).toBe(expected)
  } finally {
    terminal.kill('SIGKILL')
    await ended
  }
  expect(await isInLineMode({ ...identify(process.pid)!, start: '1' })).toBeNull()
})

it('nothing is known of a process that nobody has identified', async () => {
  expect(await isInLineMode(undefined)).toBeNull()
})
