// A machine for places of type ssh that is a directory of this one: a fake `ssh` runs everything here. It can be cut off.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempHome } from './temp-home.ts'

export interface MachineHere {
  /** Before this, the environment knows no such ssh. */
  root: string
  cut(): void
  mend(): void
  /** As sshd's MaxSessions: channels of one connection. */
  limitSessions(count: number): void
  /** kill -9 for what this home runs with these words in its arguments. How many there were. */
  killAtHome(pattern: string): number
  /** Names of session directories there. */
  sessions(): string[]
}

const FAKE = join(import.meta.dirname, '..', 'fixtures', 'ssh-here')

/** Changes the environment of `temp`. */
export function createMachineHere(temp: TempHome): MachineHere {
  const root = join(temp.home, 'machine')
  mkdirSync(root)
  Object.assign(temp.env, { PATH: `${FAKE}:${temp.env.PATH}`, AOT_MACHINE: root })
  return {
    root,
    cut: () => writeFileSync(join(root, 'cut'), ''),
    mend: () => rmSync(join(root, 'cut'), { force: true }),
    limitSessions: (count) => writeFileSync(join(root, 'max-sessions'), `${count}\n`),
    killAtHome(pattern) {
      let killed = 0
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
          const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
          if (!line.includes(pattern) || !line.includes(temp.home)) continue
          process.kill(Number(pid), 'SIGKILL')
          killed++
        } catch {
          // It ended meanwhile.
        }
      }
      return killed
    },
    sessions() {
      const directory = join(root, '.ao-place', 's')
      return existsSync(directory) ? readdirSync(directory) : []
    },
  }
}
