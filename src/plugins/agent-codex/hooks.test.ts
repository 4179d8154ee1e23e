import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { silentLog } from '../../lib/log.ts'
import { identify } from '../../lib/process/process-identity.ts'
import { askCodex, parseHooks } from './ask-codex.ts'

const ask = async (script: string, timeoutMs = 5_000) => {
  const command = ['/bin/sh', '-c', script]
  return (await askCodex({ command, cwd: '/', env: { PATH: process.env.PATH }, timeoutMs }, silentLog)).hooks
}

describe('asking Codex for its hooks', () => {
  it('is null, in bounded time, when it does not answer, and leaves no process', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'aot-hooks-'))
    const started = performance.now()
    expect(await ask(`echo $$ > ${directory}/pid; sleep 60 & echo $! > ${directory}/child; sleep 60`, 200)).toBeNull()
    expect(performance.now() - started).toBeLessThan(5_000)
    for (const name of ['pid', 'child']) {
      const pid = Number(readFileSync(join(directory, name), 'utf8'))
      await waitFor(`process ${pid} to be gone`, () => identify(pid) === null)
    }
    rmSync(directory, { recursive: true })
  })

  it.each(['exit 3', 'exec cat /dev/null', 'echo not json; exit 0', `echo '{"id":2,"error":{}}'; sleep 5`])(
    'is null when it says %j',
    async (script) => expect(await ask(script)).toBeNull(),
  )

  it('is null when an answer does not end', async () => {
    expect(await ask('exec yes', 20_000)).toBeNull()
  })

  it('is null when there is no such program', async () => {
    expect(await askCodex({ command: ['/no/such/codex'], cwd: '/', env: {} }, silentLog)).toEqual({
      hooks: null,
      sandbox: null,
    })
  })

  it('reads the answer among other messages', async () => {
    const hook = { key: 'k', command: 'c', currentHash: 'sha256:1', trustStatus: 'untrusted' }
    const answer = JSON.stringify({ id: 2, result: { data: [{ hooks: [hook, { key: 7 }] }] } })
    expect(await ask(`echo '{"method":"x"}'; echo '${answer}'; sleep 5`)).toEqual([
      { key: 'k', command: 'c', hash: 'sha256:1', trust: 'untrusted' },
    ])
    expect(parseHooks('{"id":2,"result":{"data":[null,{"hooks":"x"}]}}')).toEqual([])
  })
})
