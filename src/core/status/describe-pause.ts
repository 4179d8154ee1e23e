// What `ao pause` did, in one sentence for every surface.
import { plural } from '../text/format-age.ts'

interface Pause {
  state: 'paused' | 'resuming'
  at: string
  by: string
  reason?: string | undefined
  until?: string | undefined
  stopped: readonly unknown[]
}

export function describePause({ state, at, by, reason, until, stopped }: Pause): string {
  const why = reason === undefined ? '' : `: ${reason}`
  const end = until === undefined ? '' : `, until ${until}`
  const what = state === 'paused' ? 'Everything is paused' : 'Everything is being resumed that was paused'
  return `${what} since ${at} by ${by}${why}${end} (${plural(stopped.length, 'agent')} stopped)`
}
