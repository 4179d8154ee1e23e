// The terminal board as somebody uses it who is away: in the terminal of a real ssh.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { AO } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startMachine, whyNoSsh } from './ssh-machine.ts'

it.skipIf(whyNoSsh() !== null)('is drawn over ssh at 80 by 24, takes keys, and gives the terminal back', async () => {
  const machine = await startMachine({ pids: 'shared' })
  const home = mkdtempSync(join(tmpdir(), 'aot-board-'))
  try {
    execFileSync('git', ['init', '--quiet', home])
    writeFileSync(join(home, 'agent-orchestrator.yaml'), 'projects:\n  app: { path: ., agent: demo }\n')
    const { spawn } = await import('@lydell/node-pty')
    const command = `cd ${home} && HOME=${home} exec ${process.execPath} ${AO} top`
    const env = { ...process.env, TERM: 'xterm-256color' } as Record<string, string>
    const pty = spawn('ssh', ['-F', machine.configFile, '-tt', machine.host, command], { cols: 80, rows: 24, env })
    let output = ''
    let exitCode: number | null = null
    pty.onData((data) => {
      output += data
    })
    pty.onExit((end) => {
      exitCode = end.exitCode
    })
    await waitFor('the board', () => output.includes('1 Queue 0') || Promise.reject(new Error(output)), 60_000)
    pty.write('2')
    await waitFor('the other list', () => output.includes('[2 Sessions 0]'))
    pty.write('q')
    await waitFor('its end', () => exitCode === 0)
    expect(output).toContain('\u001b[?25h\u001b[?1049l')
  } finally {
    await machine.stop()
    rmSync(home, { recursive: true, force: true })
  }
})
