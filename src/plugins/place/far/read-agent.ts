// What the agent is doing, read from its own files where they are: at once when one changes, else every few seconds.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { FarReading } from '../../../core/place/line/line-state.ts'
import { readHead } from '../../../git/git-dir.ts'
import { systemClock } from '../../../lib/clock.ts'
import { type Watch, watchIfPossible } from '../../../lib/watch-if-possible.ts'
import type { FarAgent } from './agents.ts'

const EVERY_MS = 1_000
const AFTER_CHANGE_MS = 100

export interface AgentReader {
  reading(): FarReading
  head(): string | null
  close(): void
}

export function readAgent(
  far: FarAgent | null,
  workspace: string,
  on: { reading(reading: FarReading): void; head(head: string | null): void },
): AgentReader {
  let reading: FarReading = { activity: null, info: null }
  let reported = JSON.stringify(reading)
  let head: string | null = null
  let headSeen = ''
  let busy = false
  let soon: NodeJS.Timeout | null = null
  const watches = new Map<string, Watch | null>()

  const readAll = async () => {
    if (busy) return
    busy = true
    try {
      await followHead()
      if (far !== null) await observeAgent(far)
    } catch {
      // Half-written files and the like: the next reading is a second away.
    } finally {
      busy = false
    }
  }
  const readSoon = () => {
    soon ??= setTimeout(() => {
      soon = null
      void readAll()
    }, AFTER_CHANGE_MS)
  }
  async function observeAgent({ agent, session, readOptions }: FarAgent): Promise<void> {
    const options = readOptions(systemClock.now())
    const [activity, info] = [
      await agent.getActivityState(session, options),
      await agent.getSessionInfo(session, options),
    ]
    reading = { activity: activity as FarReading['activity'], info }
    const text = JSON.stringify(reading)
    if (text !== reported) {
      reported = text
      on.reading(reading)
    }
    for (const path of (await agent.watchPaths?.(session, options)) ?? []) {
      if (!watches.has(path) && watches.size < 64) watches.set(path, watchIfPossible(path, readSoon))
    }
  }
  async function followHead(): Promise<void> {
    const stamp = [join(workspace, '.git', 'HEAD'), join(workspace, '.git', 'logs', 'HEAD')].map(changed).join(' ')
    if (stamp === headSeen) return
    headSeen = stamp
    const now = readHead(workspace).commit
    if (now === head) return
    head = now
    on.head(head)
  }

  const timer = setInterval(() => void readAll(), EVERY_MS)
  void readAll()
  return {
    reading: () => reading,
    head: () => head,
    close() {
      clearInterval(timer)
      if (soon) clearTimeout(soon)
      for (const watch of watches.values()) watch?.close()
    },
  }
}

function changed(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '-' : `${stats.mtimeMs}:${stats.size}`
}
