import { describe, expect, it } from 'vitest'
import { FAILURE_KINDS, SESSION_STATES, SESSION_TYPES, STOP_REASONS } from '../../../contract/agh/session-terms.ts'
import { classifyFailure, type FailureEvidence } from './classify-failure.ts'
import { classifyStop, type StopCause } from './classify-stop.ts'

describe('the words', () => {
  it('S4.5 has exactly four states', () => {
    expect(SESSION_STATES).toEqual(['starting', 'active', 'stopping', 'stopped'])
  })

  it('S4.71 has ten stop reasons, S4.74 eleven failure kinds, S4.111 five types', () => {
    expect([new Set(STOP_REASONS).size, new Set(FAILURE_KINDS).size, new Set(SESSION_TYPES).size]).toEqual([10, 11, 5])
  })
})

describe('classifyStop', () => {
  const exited = (code: number | null, signal: string | null = null): StopCause => ({
    kind: 'exited',
    exit: { code, signal },
  })
  const user = (detail: string | null): StopCause => ({ kind: 'user', detail })
  it.each<[string, StopCause, boolean, string, string | null]>([
    ['S4.59 an idle agent that ends well', exited(0), false, 'completed', null],
    ['S4.60 a stop by the user', user(null), false, 'user_canceled', null],
    ['S4.60 any other detail', user('done for today'), false, 'user_canceled', null],
    ['S4.84 a stop during a turn', user(null), true, 'user_canceled', 'cancellation'],
    ['S4.61 too many iterations', user('max_iterations: 50'), false, 'max_iterations', null],
    ['S4.62 a loop', user('LOOP_DETECTED'), false, 'loop_detected', null],
    ['S4.63 a spent budget', user('budget_exceeded'), true, 'budget_exceeded', 'cancellation'],
    ['S4.64 S4.88 inactivity', { kind: 'timeout', detail: 'activity_timeout' }, true, 'timeout', 'timeout'],
    [
      'S4.65 a failed start',
      { kind: 'start_failed', failure: 'startup_failure', detail: 'x' },
      false,
      'error',
      'startup_failure',
    ],
    [
      'S4.84 a cancelled start',
      { kind: 'start_failed', failure: 'cancellation', detail: 'x' },
      false,
      'user_canceled',
      'cancellation',
    ],
    ['S4.66 a clean exit during a turn', exited(0), true, 'error', 'process_exit'],
    ['S4.67 an exit code', exited(3), false, 'agent_crashed', 'process_exit'],
    ['S4.67 a signal', exited(null, 'SIGKILL'), true, 'agent_crashed', 'process_exit'],
    ['S4.69 S4.85 a hook', { kind: 'hook_denied', detail: 'no' }, false, 'hook_stopped', 'permission_failure'],
    ['S4.70 the daemon ends', { kind: 'shutdown' }, false, 'shutdown', null],
    ['S4.87 a broken transport', { kind: 'transport', detail: 'x' }, true, 'error', 'transport_failure'],
    ['S4.89 anything else', { kind: 'internal', detail: 'x' }, false, 'error', 'unknown_failure'],
  ])('%s', (_name, cause, turnRan, reason, failure) => {
    expect(classifyStop(cause, turnRan)).toMatchObject({ reason, failure })
  })
})

describe('classifyFailure', () => {
  it.each<[string, FailureEvidence, string]>([
    ['S4.79 cannot be launched', { phase: 'launch' }, 'startup_failure'],
    ['S4.79 cannot be prepared', { phase: 'prepare' }, 'startup_failure'],
    ['S4.80 exits in the handshake', { phase: 'initialize', exited: true }, 'handshake_failure'],
    ['S4.80 never answers initialize', { phase: 'initialize', timedOut: true }, 'handshake_failure'],
    ['S4.81 cannot load', { phase: 'load_session', rpcCode: -32_603 }, 'load_session_failure'],
    ['S4.82 refuses session/new', { phase: 'new_session', rpcCode: -32_000 }, 'protocol_failure'],
    ['S4.83 refuses a prompt', { phase: 'prompt', rpcCode: -32_603 }, 'prompt_failure'],
    ['S4.84 was cancelled', { phase: 'initialize', canceled: true }, 'cancellation'],
    ['S4.84 says that it was cancelled', { phase: 'prompt', rpcCode: -32_800 }, 'cancellation'],
    ['S4.85 was denied', { phase: 'prepare', denied: true }, 'permission_failure'],
    ['S4.86 exits in a prompt', { phase: 'prompt', exited: true, transportClosed: true }, 'process_exit'],
    ['S4.87 closes its output', { phase: 'prompt', transportClosed: true }, 'transport_failure'],
    ['S4.88 takes too long', { phase: 'new_session', timedOut: true }, 'timeout'],
    ['S4.89 fails otherwise', { phase: 'request' }, 'unknown_failure'],
  ])('%s', (_name, evidence, kind) => {
    expect(classifyFailure(evidence)).toBe(kind)
  })
})
