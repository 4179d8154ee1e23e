import { execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMachineHere, type MachineHere } from '../../../test/support/machine-here.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { AoError } from '../../contract/errors.ts'
import { withLock } from '../../lib/lock.ts'
import { processState } from '../../lib/process/process-identity.ts'
import { readProcessTable } from '../../lib/process/process-table.ts'
import type { Channel } from '../../slots/place.ts'
import { sshEngine } from './ssh-engine.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

/** A machine whose ssh ends like this. */
function machineThat(stderr: string) {
  writeFileSync(join(temp.home, 'ssh'), `#!/bin/sh\ncat >&2 <<'E'\n${stderr}\nE\nexit 255\n`, { mode: 0o755 })
  return sshEngine({ host: 'build-01' }, { ...temp.env, PATH: `${temp.home}:${temp.env.PATH}` }, temp.home)
}

describe('a machine that cannot be used', () => {
  it.each([
    [
      'a wrong key',
      'me@build-01: Permission denied (publickey).',
      /does not accept your key/,
      /BatchMode=yes build-01 true$/,
    ],
    ['an unknown host key', 'Host key verification failed.', /host key of build-01 is unknown/i, /ssh build-01 true$/],
    [
      'an unknown name',
      'ssh: Could not resolve hostname build-01: Name or service not known',
      /cannot be reached: .*resolve/,
      /ssh -o BatchMode=yes/,
    ],
    [
      'nobody listens',
      'ssh: connect to host build-01 port 22: Connection refused',
      /cannot be reached: .*refused/,
      /ssh -o BatchMode=yes/,
    ],
    [
      'silence',
      'ssh: connect to host build-01 port 22: Connection timed out',
      /cannot be reached: .*timed out/,
      /ssh -o BatchMode=yes/,
    ],
    [
      'a connection that died',
      'Connection closed by UNKNOWN port 65535',
      /build-01 cannot be reached: the connection was lost$/,
      /ssh -o BatchMode=yes/,
    ],
  ])('is explained: %s', async (_what, stderr, message, hint) => {
    const start = machineThat(stderr).start({ name: 'h-app-1', spawnId: 's' })
    const error = (await start.catch((failure: unknown) => failure)) as AoError
    expect(error).toMatchObject({ code: 'PLACE_UNREACHABLE', message: expect.stringMatching(message) })
    expect(error.hint).toMatch(hint)
  })
})

describe('a machine with many sessions', () => {
  let machine: MachineHere
  let channels: Channel[]
  beforeEach(() => {
    machine = createMachineHere(temp)
    channels = []
  })
  afterEach(async () => {
    for (const channel of channels) channel.close()
    await Promise.all(channels.map(({ ended }) => ended))
  })

  /** Open for as long as the test. */
  async function openCat(engine: ReturnType<typeof sshEngine>): Promise<string> {
    const channel = await engine.channel('x', ['cat'])
    channels.push(channel)
    const answer = new Promise<string>((resolve) => {
      channel.stdout.once('data', (chunk) => resolve(String(chunk)))
      void channel.ended.then(({ stderr }) => resolve(stderr))
    })
    channel.stdin.write('here\n')
    return answer
  }

  it('takes another connection before sshd refuses a session, and can still be asked and ended when it is full', async () => {
    machine.limitSessions(10)
    // As many processes at home as there are sessions.
    const engines = Array.from({ length: 3 }, () => sshEngine({ host: 'box' }, temp.env, temp.home))
    const lines = await Promise.all(Array.from({ length: 21 }, (_, n) => openCat(engines[n % 3]!)))
    expect(lines).toEqual(Array(21).fill('here\n'))
    expect(readdirSync(join(machine.root, 'connections'))).toHaveLength(3)
    expect(await engines[0]!.list()).toEqual([])
    await engines[0]!.stop('x')
    expect(await engines[0]!.check()).toContain('git version')
  })

  it('uses a slot again when its channel has ended', async () => {
    const engine = sshEngine({ host: 'box' }, temp.env, temp.home)
    for (let n = 0; n < 12; n++) await engine.probe('x')
    expect(readdirSync(join(machine.root, 'connections'))).toHaveLength(1)
  })

  it('names MaxSessions where sshd allows fewer than usual', async () => {
    machine.limitSessions(2)
    const engine = sshEngine({ host: 'box' }, temp.env, temp.home)
    await openCat(engine)
    await openCat(engine)
    const error = (await engine.check().catch((failure: unknown) => failure)) as AoError
    expect(error.message).toMatch(/^box refused a session: its sshd allows too few .*MaxSessions/)
    expect(error.hint).toContain('`MaxSessions 10`')
  })

  it('kill -9 of a command that is connecting leaves no connection that stays for ever', async () => {
    const slow = join(machine.root, 'slow')
    execFileSync('mkfifo', [slow])
    const open = `import { sshEngine } from ${JSON.stringify(join(import.meta.dirname, 'ssh-engine.ts'))}
      await sshEngine({ host: 'box' }, process.env, process.env.HOME).probe('x')`
    const killed = spawn(process.execPath, ['--input-type=module', '-e', open], { env: temp.env })
    const itsSsh = await waitFor('its ssh', () =>
      readProcessTable().find(
        (row) => row.environment.value('AOT_MACHINE') === machine.root && row.commandLine().includes(' -N '),
      ),
    )
    // Opening a pipe for reading and writing waits for nobody.
    const pipe = openSync(slow, 'r+')
    killed.kill('SIGKILL')
    await new Promise((resolve) => killed.once('exit', resolve))
    rmSync(slow)
    expect(await sshEngine({ host: 'box' }, temp.env, temp.home).check()).toContain('git version')
    writeSync(pipe, '\n')
    closeSync(pipe)
    await waitFor('its end', () => processState(itsSsh.identity) === 'dead')
  })

  it('says that it timed out, not that a lock is held, while others try to connect in vain', async () => {
    const engine = sshEngine({ host: 'box' }, temp.env, temp.home, 100)
    await engine.probe('x')
    const run = join(temp.home, '.ao', 'run')
    const socket = readdirSync(run).find((file) => /^ssh-[0-9a-f]{12}$/.test(file))!
    machine.cut()
    const error = await withLock(join(run, `${socket}.lock`), () => engine.check().catch((failure: unknown) => failure))
    expect(error).toMatchObject({ code: 'PLACE_UNREACHABLE', message: 'box cannot be reached: timed out' })
  })
})
