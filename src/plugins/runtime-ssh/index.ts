// Places that are machines reached with ssh.
import * as z from 'zod/mini'
import { exec } from '../../lib/exec.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { sshEngine } from './ssh-engine.ts'

/** Anything that begins with - would be an option. */
const word = (what: string) => z.string().check(z.regex(/^[^-\s]\S*$/, `must be ${what}`))

const options = z.strictObject({
  host: word('the name of a machine, as ssh takes it'),
  port: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
  user: z.optional(word('the name of a user')),
  identityFile: z.optional(z.string()),
  configFile: z.optional(z.string()),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

export const plugin = definePlaceEngine({
  manifest: { name: 'ssh', description: 'Runs each agent on another machine that ssh reaches' },
  options,
  engine: (own, { env, home }) => sshEngine(own, env, home),
  async detect({ env }) {
    const version = await exec('ssh', ['-V'], { env, timeoutMs: 3_000 })
    if (version.ok) return { ok: true, detail: version.stderr.trim() }
    return { ok: false, detail: 'ssh is not on PATH', fix: 'Install the OpenSSH client' }
  },
})
