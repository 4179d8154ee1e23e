// Places that are machines reached with ssh.
import { exec } from '../../lib/exec.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { sshEngine, sshOptions } from './ssh-engine.ts'

export const plugin = definePlaceEngine({
  manifest: { name: 'ssh', description: 'Runs each agent on another machine that ssh reaches' },
  options: sshOptions,
  engine: (own, { env, home }) => sshEngine(own, env, home),
  async detect({ env }) {
    const version = await exec('ssh', ['-V'], { env, timeoutMs: 3_000 })
    if (version.ok) return { ok: true, detail: version.stderr.trim() }
    return { ok: false, detail: 'ssh is not on PATH', fix: 'Install the OpenSSH client' }
  },
})
