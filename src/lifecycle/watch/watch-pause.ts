// The loop's side of `ao pause`: it stops what the command may have missed, lets nothing begin, and resumes when the time is over.
import { type FSWatcher, watch } from 'node:fs'
import { basename } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { findActive } from '../../manager/context.ts'
import { type FleetPause, pauseFile, readPause } from '../../store/fleet-pause.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export interface PauseKeeper {
  isPaused(): boolean
  /** Aborted when everything is paused; after that a new one. */
  signal(): AbortSignal
  close(): void
}

/** `onResume`: what waited may begin. */
export function keepPause(loop: LoopContext, onResume: () => void): PauseKeeper {
  const { paths, log } = loop.context
  let pausing = new AbortController()
  let paused = false
  let timer: NodeJS.Timeout | undefined
  let planned: string | null = null
  const readNow = () => {
    const pause = readPause(paths)
    const isNow = pause?.state === 'paused'
    if (isNow && !paused) {
      pausing.abort()
      carryOut('the pause', async () => {
        const { stopped } = (await (await import('../../manager/attend/pause-fleet.ts')).stopEverything(loop.context))
          .pause
        loop.say(`paused by ${pause.by}: ${stopped.length} agents are stopped`)
      })
    }
    if (!isNow && paused) {
      pausing = new AbortController()
      loop.say('no longer paused')
      onResume()
    }
    paused = isNow
    plan(pause)
  }
  const plan = (pause: FleetPause | null) => {
    // What is planned already keeps its time, however often it is read.
    const now = JSON.stringify(pause)
    if (now === planned) return
    planned = now
    clearTimeout(timer)
    if (!pause || (pause.state === 'paused' && pause.until === undefined)) return
    // A command that was killed while it resumed is finished at once; a timer takes at most 24 days.
    const end =
      pause.state === 'resuming' ? ABANDONED_MS : Date.parse(pause.until!) - loop.context.clock.now().getTime()
    timer = setTimeout(
      () => {
        planned = null
        carryOut('resuming', async () => {
          const now = readPause(paths)
          const isDue =
            now?.state === 'resuming' ||
            (now?.until !== undefined && Date.parse(now.until) <= loop.context.clock.now().getTime())
          if (isDue) await resume(loop)
          else plan(now)
        })
      },
      Math.min(Math.max(end, 0), LONGEST_MS),
    )
    timer.unref()
  }
  const carryOut = (what: string, work: () => Promise<void>) => {
    work().catch((error) => log.error(`${what} could not be carried out: ${errorText(error)}`))
  }
  const watcher = watchFile(paths, readNow)
  // For what nobody reports: a directory that was not there yet, no watches left, a file system of another machine.
  const poll = setInterval(() => carryOut('the pause', async () => readNow()), POLL_MS)
  poll.unref()
  readNow()
  return {
    isPaused: () => paused,
    signal: () => pausing.signal,
    close() {
      watcher?.close()
      clearInterval(poll)
      clearTimeout(timer)
    },
  }
}

/** Nobody sits at a command that could say what went wrong. */
async function resume(loop: LoopContext): Promise<void> {
  const { resumeFleet } = await import('../../manager/attend/resume-fleet.ts')
  for (const { sessionId, why } of (await resumeFleet(loop.context))?.failed ?? []) {
    const projectId = findActive(loop.context, sessionId)?.project.id
    if (projectId === undefined) continue
    await loop.notify({
      type: 'session.stuck',
      projectId,
      sessionId,
      priority: 'action',
      message: `${sessionId} did not go on after the pause: ${why}; see it with: ao why ${sessionId}`,
      dedupeKey: `not-resumed ${sessionId} ${why}`,
    })
  }
}

const POLL_MS = 5_000
/** Who resumes is at work for moments, unless agents have to be restored. */
const ABANDONED_MS = 60_000
const LONGEST_MS = 12 * 60 * 60_000

function watchFile(paths: { dataDir: string }, readNow: () => void): FSWatcher | null {
  const own = basename(pauseFile(paths))
  try {
    const watcher = watch(paths.dataDir, (_event, name) => (name === null || name === own) && readNow())
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // Nothing was ever started here; every start and every message asks for itself.
    return null
  }
}
