// The configurations that this process watches: the first one, and those that join while it runs. One that fails or
// vanishes is reported and ends nothing else.
import { errorText } from '../../../contract/errors.ts'
import type { Log } from '../../../lib/log.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import {
  changeMembers,
  type Member,
  membersFile,
  readMembers,
  withMember,
  withoutMember,
} from '../../../lifecycle/loop/members.ts'
import { watchConfig } from '../../../lifecycle/watch/watch-config.ts'

export interface MemberWatchOptions {
  home: string
  log: Log
  /** Ends all of them. */
  stop: AbortSignal
  first: { configPath: string; run(stop: AbortSignal): Promise<void> }
  /** Resolves when it was asked to stop. */
  run(configPath: string, stop: AbortSignal): Promise<void>
}

interface Running {
  stop: AbortController
  done: Promise<void>
}

export interface MemberWatch {
  /** Resolves when the last one has ended; rejects when the first one cannot start or fails. */
  ended: Promise<void>
}

export function watchMembers(options: MemberWatchOptions): MemberWatch {
  const { home, log } = options
  const me = formatIdentity(currentProcess())
  const running = new Map<string, Running>()
  const begin = (configPath: string, run: (stop: AbortSignal) => Promise<void>) => {
    const stop = new AbortController()
    options.stop.addEventListener('abort', () => stop.abort(), { once: true })
    if (options.stop.aborted) stop.abort()
    const done = run(stop.signal).finally(() => running.delete(configPath))
    running.set(configPath, { stop, done })
    return done
  }
  const join = (configPath: string) => {
    const member: Member = { configPath, process: me }
    const settled = begin(configPath, (stop) => options.run(configPath, stop)).then(
      () => changeMembers(home, withoutMember(member)),
      (error: unknown) => {
        log.error(`${configPath} is not watched: ${errorText(error)}`)
        return changeMembers(home, withMember({ ...member, problem: errorText(error) }))
      },
    )
    settled.catch((error: unknown) => log.error(`${membersFile(home)} cannot be written: ${errorText(error)}`))
  }
  const compare = async () => {
    if (options.stop.aborted) return
    const members = readMembers(home).filter(({ process }) => process === me)
    for (const { configPath, problem, leaving } of members) {
      if (leaving) running.get(configPath)?.stop.abort()
      else if (problem === undefined && !running.has(configPath)) join(configPath)
    }
  }
  return { ended: follow(options, begin, compare, running) }
}

async function follow(
  { home, first, log }: MemberWatchOptions,
  begin: (configPath: string, run: (stop: AbortSignal) => Promise<void>) => Promise<void>,
  compare: () => Promise<void>,
  running: ReadonlyMap<string, Running>,
): Promise<void> {
  const main = begin(first.configPath, first.run)
  const watch = watchConfig(
    membersFile(home),
    () => compare().catch((error: unknown) => log.warn(`${membersFile(home)} is ignored: ${errorText(error)}`)),
    { digest: () => digestOf(home) },
  )
  try {
    await main
    while (running.size > 0) await Promise.allSettled([...running.values()].map(({ done }) => done))
  } finally {
    await watch.close()
    await changeMembers(home, (members) =>
      members.filter(({ process }) => process !== formatIdentity(currentProcess())),
    )
  }
}

/** null: unknown at the moment. */
function digestOf(home: string): string | null {
  try {
    return JSON.stringify(readMembers(home))
  } catch {
    // Damaged: what is running stays.
    return null
  }
}
