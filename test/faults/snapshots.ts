// A HOME in states that were made once: playing in one of them takes a copy instead of the commands that lead to it. The copy lies
// where the first one did, as worktrees and records say where they are.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface Snapshots {
  has(name: string): boolean
  /** Nothing may be running. */
  take(name: string): void
  bring(name: string): void
  remove(): void
}

export function createSnapshots(home: string): Snapshots {
  const taken = new Map<string, string>()
  const copy = (from: string, to: string) => {
    const done = spawnSync('cp', ['--archive', `${from}/.`, to], { encoding: 'utf8' })
    if (done.status !== 0) throw new Error(`${from} was not copied: ${done.stderr}`)
  }
  return {
    has: (name) => taken.has(name),
    take(name) {
      const path = `${home}-at-${taken.size}`
      copy(home, path)
      taken.set(name, path)
    },
    bring(name) {
      for (const entry of readdirSync(home)) rmSync(join(home, entry), { recursive: true, force: true })
      copy(taken.get(name)!, home)
    },
    remove() {
      for (const path of taken.values()) rmSync(path, { recursive: true, force: true })
    },
  }
}

/** What was started with this HOME and still runs. */
function processesOf(home: string): number[] {
  const needle = `HOME=${home}\0`
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(needle)
      } catch {
        // It has ended, or it is none.
        return false
      }
    })
}

/** As the machine does when the power goes: everything at once, without a word. */
export async function endAll(home: string): Promise<void> {
  for (let left = processesOf(home); left.length > 0; left = processesOf(home)) {
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** What has not ended by itself a while later. */
export async function straysOf(home: string, graceMs = 5_000): Promise<string[]> {
  const until = Date.now() + graceMs
  let left = processesOf(home)
  while (left.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    left = processesOf(home)
  }
  return left.map((pid) => {
    try {
      return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()} still runs`
    } catch {
      return `${pid} still ran`
    }
  })
}
