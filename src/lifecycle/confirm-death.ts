// Two proofs before a session is called dead: the first look may have met a moment of change.
import { errorText } from '../contract/errors.ts'
import type { RuntimeHandle } from '../contract/session.ts'
import type { ObservedSession } from '../manager/observe-sessions.ts'
import type { Liveness, Runtime } from '../slots/runtime.ts'
import type { LoopContext } from './loop-context.ts'

/** An end is seen before its exit code is: the second look comes when that is there. */
const EXIT_CODE_MS = 150

export async function confirmDeath(loop: LoopContext, observed: ObservedSession): Promise<ObservedSession> {
  const { session, liveness } = observed
  if (liveness?.state !== 'dead' || session.runtimeHandle === null) return observed
  try {
    if (!knowsHow(liveness)) await new Promise((resolve) => setTimeout(resolve, EXIT_CODE_MS))
    const runtime = loop.manager.registry.require('runtime', session.runtimeHandle.runtimeName)
    const again = await lookAgain(runtime, session.runtimeHandle)
    if (again.state === 'dead') return withLiveness(observed, knowsHow(again) ? again : liveness)
    if (again.state === 'unknown') return withLiveness(observed, again)
    return withLiveness(observed, { state: 'unknown', why: 'one look said dead, the next one alive' })
  } catch (error) {
    return withLiveness(observed, { state: 'unknown', why: errorText(error) })
  }
}

function knowsHow(liveness: Extract<Liveness, { state: 'dead' }>): boolean {
  return typeof liveness.exitCode === 'number' || typeof liveness.signal === 'string'
}

async function lookAgain(runtime: Runtime, handle: RuntimeHandle): Promise<Liveness> {
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
