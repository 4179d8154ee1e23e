// Two proofs before a session is called dead: the first probe may have hit a moment of change.
import { errorText } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import type { ObservedSession } from '../../manager/observe/observe-sessions.ts'
import type { Liveness, Runtime } from '../../slots/runtime.ts'

/** A runtime may notice an end before it knows the exit code (null as opposed to none): that is worth a short wait. */
const EXIT_CODE_WAIT_MS = 2_000
const EXIT_CODE_POLL_MS = 100

export async function confirmDeath(observed: ObservedSession): Promise<ObservedSession> {
  const { session, liveness, runtime } = observed
  if (liveness?.state !== 'dead' || session.runtimeHandle === null || !runtime) return observed
  try {
    const again = await probeUntilClear(runtime, session.runtimeHandle)
    if (again.state !== 'alive') return withLiveness(observed, again)
    return withLiveness(observed, { state: 'unknown', why: 'one look said dead, the next one alive' })
  } catch (error) {
    return withLiveness(observed, { state: 'unknown', why: errorText(error) })
  }
}

async function probeUntilClear(runtime: Runtime, handle: RuntimeHandle): Promise<Liveness> {
  const deadline = performance.now() + EXIT_CODE_WAIT_MS
  for (;;) {
    const seen = await probeAgain(runtime, handle)
    const isToCome = seen.state === 'dead' && seen.exitCode === null && !seen.signal
    if (!isToCome || performance.now() > deadline) return seen
    await sleep(EXIT_CODE_POLL_MS)
  }
}

async function probeAgain(runtime: Runtime, handle: RuntimeHandle): Promise<Liveness> {
  const probed = await runtime.probe?.([handle])
  if (probed) return probed.get(handle.id) ?? { state: 'unknown', why: 'the runtime did not answer' }
  return (await runtime.isAlive(handle)) ? { state: 'alive' } : { state: 'dead', why: `${runtime.name} says so` }
}

function withLiveness(observed: ObservedSession, liveness: Liveness): ObservedSession {
  const runtime =
    liveness.state === 'dead'
      ? { state: liveness.state, exitCode: liveness.exitCode ?? null }
      : ({ state: liveness.state } as const)
  return { ...observed, liveness, facts: { ...observed.facts, runtime } }
}
