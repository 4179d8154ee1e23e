// Waits until the checks of one pull request have ended: runs them, or waits for the process that does.
import { sleep } from '../lib/clock.ts'
import { type AdvanceOptions, advanceCi } from './advance-ci.ts'
import { observePull } from './pulls/observe-pulls.ts'
import type { LocalForge } from './types.ts'

const POLL_MS = 250

export async function finishChecks(forge: LocalForge, number: number, options: AdvanceOptions = {}): Promise<void> {
  for (;;) {
    await advanceCi(forge, { ...options, pullNumber: number })
    const pull = forge.pulls.read(number)
    if (pull === null || options.signal?.aborted) return
    const { state, ci, checks } = await observePull(forge, pull)
    if (state !== 'open' || ci !== 'pending') return
    // Anything that cannot run now would be waited for in vain.
    const open = checks.filter(({ status }) => status === 'pending' || status === 'running')
    if (open.length > 0 && open.every(({ status, note }) => status === 'pending' && note !== undefined)) return
    await sleep(POLL_MS)
  }
}
