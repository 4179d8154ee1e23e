import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import type { AoError } from '../../contract/errors.ts'
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
  ])('is explained: %s', async (_what, stderr, message, hint) => {
    const start = machineThat(stderr).start({ name: 'h-app-1', spawnId: 's' })
    const error = (await start.catch((failure: unknown) => failure)) as AoError
    expect(error).toMatchObject({ code: 'PLACE_UNREACHABLE', message: expect.stringMatching(message) })
    expect(error.hint).toMatch(hint)
  })
})
