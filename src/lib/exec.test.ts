import { expect, it } from 'vitest'
import { exec } from './exec.ts'

it('ends in time although a program that is not ours holds the pipes open', async () => {
  // As a tmux server does that was stopped: the client's pipes are with it.
  const result = await exec('bash', ['-c', 'setsid sleep 60 & echo $!; sleep 60'], { timeoutMs: 1_000 })
  const holder = Number(result.stdout.trim())
  try {
    expect(result).toMatchObject({ ok: false, timedOut: true })
    expect(() => process.kill(holder, 0)).not.toThrow()
  } finally {
    process.kill(holder, 'SIGKILL')
  }
}, 20_000)

it('keeps what was printed before the end', async () => {
  expect(await exec('bash', ['-c', 'echo out; exit 3'])).toMatchObject({ ok: false, exitCode: 3, stdout: 'out\n' })
})
