// Runs one CI command to its end: bounded in time and kept output, and nothing of it keeps running afterwards.
import { closeSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type EnvironmentRule, forCommand } from '../../core/session/agent-environment.ts'
import { describeLeftProcesses } from '../../core/status/describe-left-processes.ts'
import { writeAll } from '../../lib/atomic-write.ts'
import { openEmpty } from '../../lib/plain-file.ts'
import { identify } from '../../lib/process/process-identity.ts'
import { SPAWN_MARKER, stopProcesses } from '../../lib/process/process-tree.ts'
import type { UnprovenProcess } from '../../lib/process/unproven-processes.ts'
import { whenEnded } from '../../lib/process/when-ended.ts'
import { startProgram } from '../../lib/start-program.ts'
import type { CheckEnd, FarCommand } from '../../slots/far-checkout.ts'

export interface CheckRun {
  command: FarCommand
  directory: string
  env: NodeJS.ProcessEnv
  /** `environment` of the project. */
  rule: EnvironmentRule
  marker: string
  logFile: string
  /** Its head has moved on, or the caller is leaving: the result no longer matters. */
  signal: AbortSignal
  /** Nobody waits for it: it gets what others leave. */
  inBackground?: boolean | undefined
}

const STOP_GRACE_MS = 2_000

export async function runCheck(run: CheckRun): Promise<CheckEnd> {
  mkdirSync(dirname(run.logFile), { recursive: true, mode: 0o700 })
  const log = openLog(run.logFile)
  log.note(`$ ${run.command.run}`)
  try {
    const end = await runToEnd(run, log.push)
    log.note(end.why)
    return end
  } finally {
    log.close()
  }
}

function runToEnd(
  { command, directory, env, rule, marker, signal, inBackground = false }: CheckRun,
  push: (chunk: Buffer) => void,
): Promise<CheckEnd> {
  return new Promise((resolve) => {
    const [program = '', ...args] = [...(inBackground ? ['nice', '-n', '19'] : []), 'sh', '-c', command.run]
    const child = startProgram(program, args, {
      cwd: directory,
      env: ciEnvironment(env, marker, rule),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const identity = child.pid === undefined ? null : identify(child.pid)
    let stopped: 'timeout' | 'cancelled' | null = null
    const stop = (graceMs: number) =>
      stopProcesses(marker, identity ? [identity] : [], { graceMs, workspacePath: directory })
    const interrupt = (why: 'timeout' | 'cancelled') => {
      stopped ??= why
      void stop(STOP_GRACE_MS)
    }
    const timer = setTimeout(() => interrupt('timeout'), command.timeoutMs)
    const onAbort = () => interrupt('cancelled')
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()

    let finished = false
    const finish = async (exitCode: number | null, how: string) => {
      if (finished) return
      finished = true
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      const { unproven } = await stop(0)
      if (unproven.length > 0) push(Buffer.from(leftRunning(unproven)))
      child.stdout.destroy()
      child.stderr.destroy()
      resolve(describeEnd(command, stopped, exitCode, how))
    }
    child.stdout.on('data', push)
    child.stderr.on('data', push)
    child.on('error', (error) => void finish(null, `could not be started: ${error.message}`))
    whenEnded(child, (exitCode, by) => void finish(exitCode, by ? `was ended by ${by}` : `exited with ${exitCode}`))
  })
}

function leftRunning(processes: UnprovenProcess[]): string {
  return `\nao: left running, not proven to be started by this check: ${describeLeftProcesses(processes)}\n`
}

function describeEnd(
  { name, timeoutMs }: FarCommand,
  stopped: 'timeout' | 'cancelled' | null,
  exitCode: number | null,
  how: string,
): CheckEnd {
  if (stopped === 'cancelled') return { kind: 'cancelled', exitCode, why: `${name} was cancelled` }
  if (stopped === 'timeout') {
    return { kind: 'failed', exitCode, why: `${name} did not finish in ${timeoutMs / 1000} s and was ended` }
  }
  return { kind: exitCode === 0 ? 'passed' : 'failed', exitCode, why: `${name} ${how}` }
}

/**
 * A short list, and nothing from the session that happens to ask: CI runs what agents wrote, the same whoever starts it.
 */
function ciEnvironment(env: NodeJS.ProcessEnv, marker: string, rule: EnvironmentRule): NodeJS.ProcessEnv {
  return { ...forCommand(env, rule), CI: 'true', [SPAWN_MARKER]: marker }
}

const HEAD_BYTES = 1024 * 1024
const TAIL_BYTES = 4 * 1024 * 1024

/** The beginning goes to the file as it arrives; of what exceeds the limit the end is kept. */
function openLog(file: string): { push(chunk: Buffer): void; note(line: string): void; close(): void } {
  const fd = openEmpty(file)
  let written = 0
  let tail: Buffer[] = []
  let tailSize = 0
  let dropped = 0
  const push = (chunk: Buffer) => {
    const direct = chunk.subarray(0, Math.max(0, HEAD_BYTES - written))
    if (direct.length > 0) writeAll(fd, direct)
    written += direct.length
    const rest = chunk.subarray(direct.length)
    if (rest.length === 0) return
    tail.push(rest)
    tailSize += rest.length
    if (tailSize <= 2 * TAIL_BYTES) return
    dropped += tailSize - TAIL_BYTES
    tail = [Buffer.concat(tail).subarray(-TAIL_BYTES)]
    tailSize = TAIL_BYTES
  }
  return {
    push,
    note: (line) => push(Buffer.from(`${line}\n`)),
    close() {
      if (dropped > 0) writeAll(fd, Buffer.from(`\n[${dropped} bytes are left out]\n`))
      writeAll(fd, Buffer.concat(tail))
      closeSync(fd)
    },
  }
}
