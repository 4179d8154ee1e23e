// agh beside ao in its own HOME: an unused port, its sessions, and its end.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionMeta } from '../../src/contract/agh/session-meta.ts'
import { type ProcessIdentity, parseIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { waitFor } from './wait-for.ts'

const AGH = new URL('../../dist/agh.js', import.meta.url).pathname

export interface AghBeside {
  agh(...args: string[]): string
  /** As their files say. */
  sessions(): SessionMeta[]
  /** kill -9 */
  kill(): Promise<void>
  /** kill -9 of the hosts and their agents. */
  killHosts(): Promise<void>
  stop(): Promise<void>
}

export function aghBeside(home: string, env: NodeJS.ProcessEnv): AghBeside {
  const place = join(home, '.agh')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'config.toml'), '[http]\nport = 0\n')
  const agh = (...args: string[]) => execFileSync(process.execPath, [AGH, ...args], { env, encoding: 'utf8' })
  const daemon = (): ProcessIdentity | null => {
    const file = join(place, 'daemon.json')
    if (!existsSync(file)) return null
    return parseIdentity((JSON.parse(readFileSync(file, 'utf8')) as { identity: string }).identity)
  }
  return {
    agh,
    sessions() {
      const directory = join(place, 'sessions')
      const ids = existsSync(directory) ? readdirSync(directory) : []
      return ids.map((id) => JSON.parse(readFileSync(join(directory, id, 'meta.json'), 'utf8')) as SessionMeta)
    },
    async kill() {
      const identity = daemon()!
      process.kill(identity.pid, 'SIGKILL')
      await waitFor('the daemon to be gone', () => processState(identity) === 'dead')
    },
    async killHosts() {
      const files = readdirSync(join(place, 'sessions'), { recursive: true, encoding: 'utf8' })
      for (const file of files.filter((name) => name.endsWith('/host.json'))) {
        const record = JSON.parse(readFileSync(join(place, 'sessions', file), 'utf8')) as Record<string, string>
        for (const identity of [record.host, record.agent].map((one) => parseIdentity(one ?? ''))) {
          if (!identity || processState(identity) === 'dead') continue
          process.kill(identity.pid, 'SIGKILL')
          await waitFor('it to be gone', () => processState(identity) === 'dead')
        }
      }
    },
    async stop() {
      if (daemon()) agh('daemon', 'stop')
    },
  }
}
