// The terminal board gives the terminal back as it was, and takes it again, when a shell suspends it.
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld

beforeAll(() => buildAo(), 60_000)
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

it.runIf(process.platform === 'linux').each(['SIGTSTP', 'Ctrl-Z'])(
  'is suspended by %s, and draws itself anew afterwards',
  async (how) => {
    world = createAoWorld()
    const { spawn } = await import('@lydell/node-pty')
    const env = { ...world.temp.env, TERM: 'xterm-256color' } as Record<string, string>
    const pty = spawn(process.execPath, [AO, 'top'], { cols: 80, rows: 24, cwd: world.repo, env })
    let output = ''
    let exitCode: number | null = null
    pty.onData((data) => {
      output += data
    })
    pty.onExit((end) => {
      exitCode = end.exitCode
    })
    const count = (sequence: string) => output.split(sequence).length - 1
    await waitFor('the board', () => output.includes('Queue'))
    if (how === 'SIGTSTP') process.kill(pty.pid, 'SIGTSTP')
    else pty.write('\u001a')
    await waitFor('the first screen, with its cursor', () => count('\u001b[?1049l') === 1 && count('\u001b[?25h') === 1)
    await waitFor('it to be stopped', () => / T /.test(readFileSync(`/proc/${pty.pid}/stat`, 'utf8')))
    process.kill(pty.pid, 'SIGCONT')
    await waitFor('the other screen again', () => count('\u001b[?1049h') >= 2)
    pty.write('q')
    await waitFor('its end', () => exitCode === 0)
    expect(output.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
  },
)
