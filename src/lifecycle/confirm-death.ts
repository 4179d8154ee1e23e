// Two proofs before a session is called dead: the first look may have met a moment of change.
import { errorText } from '../contract/errors.ts'
import type { ObservedSession } from '../manager/observe-sessions.ts'
import type { LoopContext } from './loop-context.ts'

export async function confirmDeath(loop: LoopContext, observed: ObservedSession): Promise<ObservedSession> {
  const { session, liveness } = observed
  if (liveness?.state !== 'dead' || session.runtimeHandle === null) return observed
  try {
    const runtime = loop.manager.registry.require('runtime', session.runtimeHandle.runtimeName)
    if (!(await runtime.isAlive(session.runtimeHandle))) return observed
    return unknown(observed, 'one look said dead, the next one alive')
  } catch (error) {
    return unknown(observed, errorText(error))
  }
}

function unknown(observed: ObservedSession, why: string): ObservedSession {
  return {
    ...observed,
    liveness: { state: 'unknown', why },
    facts: { ...observed.facts, runtime: { state: 'unknown' } },
  }
}
