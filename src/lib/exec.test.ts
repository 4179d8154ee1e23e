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

it('leaves it to a program whether it reads its input', async () => {
  const input = 'x'.repeat(4_000_000)
  expect(await exec('true', [], { input })).toMatchObject({
    ok: true,
    inputError: { code: expect.stringMatching(/EPIPE|ECONNRESET/) },
  })
  expect(await exec('wc', ['-c'], { input })).toMatchObject({ ok: true, stdout: '4000000\n', inputError: null })
})
