// One step of a start: bounded in time, over when the agent's process ends, and aborted with the start. Every failure has a
// kind.
import { durationMs } from '../../../contract/agh/duration.ts'
import type { FailureKind } from '../../../contract/agh/session-terms.ts'
import { errorText } from '../../../contract/errors.ts'
import { classifyFailure, type FailurePhase } from '../../../core/agh/session/classify-failure.ts'
import { describeExit, type ExitStatus } from '../../../core/agh/session/classify-stop.ts'
import { describeRpcError } from '../../../core/agh/session/describe-rpc-error.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'

export class AgentStartError extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'AgentStartError'
    this.kind = kind
  }
}

export async function attempt<T>(
  context: AghContext,
  session: LiveSession,
  phase: FailurePhase,
  act: () => Promise<T>,
): Promise<T> {
  const limit = durationMs(context.config.session.timeouts.handshake)
  let timer: NodeJS.Timeout | undefined
  const obstacle = new Promise<never>((_, reject) => {
    const fail = (evidence: object, why: string) =>
      reject(new AgentStartError(classifyFailure({ phase, ...evidence }), why, undefined))
    if (limit > 0) timer = setTimeout(() => fail({ timedOut: true }, `${phase} did not end within ${limit} ms`), limit)
    void session.process?.exited.then((exit) => fail({ exited: true }, `${describeExit(exit)} during ${phase}`))
    const onAbort = () => fail({ canceled: true }, `the start was canceled during ${phase}`)
    if (session.abort.signal.aborted) onAbort()
    else session.abort.signal.addEventListener('abort', onAbort, { once: true })
  })
  obstacle.catch(() => undefined)
  try {
    return await Promise.race([act(), obstacle])
  } catch (error) {
    throw error instanceof AgentStartError ? error : await explain(session, phase, error)
  } finally {
    clearTimeout(timer)
  }
}

/** A closed connection is the first sign of an ended agent; its exit code says more. */
async function explain(session: LiveSession, phase: FailurePhase, error: unknown): Promise<AgentStartError> {
  const rpcCode = (error as { code?: unknown }).code
  if (typeof rpcCode === 'number') {
    const why = `${phase} was refused: ${describeRpcError(error as { message: string; data?: unknown })}`
    const advice = rpcCode === AUTHENTICATION_REQUIRED ? signInAdvice(session) : ''
    return new AgentStartError(classifyFailure({ phase, rpcCode }), why + advice, error)
  }
  const exit = await exitSoon(session)
  const why = exit ? describeExit(exit) : errorText(error)
  return new AgentStartError(classifyFailure({ phase, exited: exit !== null }), `${phase} failed: ${why}`, error)
}

const AUTHENTICATION_REQUIRED = -32_000

function signInAdvice({ state: { abilities } }: LiveSession): string {
  const ways = abilities.authMethods.length === 0 ? '' : ` (it knows ${abilities.authMethods.join(', ')})`
  return `. Sign in with the agent's own program first${ways}`
}

const EXIT_FOLLOWS_MS = 1_000

export function exitSoon(session: LiveSession): Promise<ExitStatus | null> {
  return soon(session.process?.exited)
}

/** null: no exit within a second. */
export async function soon<T>(promise: Promise<T> | undefined): Promise<T | null> {
  if (!promise) return null
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), EXIT_FOLLOWS_MS)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
