// Hosts for the next agents. Starting Node takes longer than anything else that a host does, so a start opens its host before
// it does the rest, and a daemon keeps one in reserve.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openHost, type WaitingHost } from '../../host/start.ts'

export interface HostPool {
  /** One will be needed soon. */
  prepare(): void
  take(): WaitingHost
  /** Anything that was not needed ends. */
  close(): void
}

export interface HostPoolOptions {
  env: NodeJS.ProcessEnv
  /** The daemon's log; hosts have one beside it. */
  log: string
  keepsReserve: boolean
}

/** Not while the session that took the last one is still starting. */
const REFILL_MS = 1_000
/** A reserve that nobody needs for this long is dropped. */
const KEEP_MS = 10 * 60_000

export function createHostPool({ env, log, keepsReserve }: HostPoolOptions): HostPool {
  let reserve: WaitingHost | null = null
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  const open = () => {
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
    return openHost(env, join(dirname(log), 'hosts.log'))
  }
  const later = (ms: number, act: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(act, ms).unref()
  }
  const giveUp = () => {
    reserve?.discard()
    reserve = null
  }
  const prepare = () => {
    if (isClosed || reserve?.isWaiting()) return
    reserve = open()
    later(KEEP_MS, giveUp)
  }
  return {
    prepare,
    take() {
      const host = reserve?.isWaiting() ? reserve : open()
      reserve = null
      clearTimeout(timer)
      if (keepsReserve && !isClosed) later(REFILL_MS, prepare)
      return host
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      giveUp()
    },
  }
}
