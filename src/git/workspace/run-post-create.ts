// Runs the project's own commands in a workspace, one at a time, bounded in time and output: postCreate in a new one,
// preRemove in one that is about to be removed.

import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { forCommand } from '../../core/session/agent-environment.ts'
import { killGroup } from '../../lib/process/kill-group.ts'
import { SPAWN_MARKER, stopProcesses } from '../../lib/process/process-tree.ts'
import { whenEnded } from '../../lib/process/when-ended.ts'
import { sha256Hex } from '../../lib/sha256-hex.ts'
import { startProgram } from '../../lib/start-program.ts'
import type { WorkspaceSpec } from '../../slots/workspace.ts'
import { lastLines } from '../git.ts'
import type { Preparation } from './preparation.ts'
import { readRecord } from './record.ts'

const DEFAULT_TIMEOUT_S = 300
const MAX_LOG_BYTES = 10 * 1024 * 1024
const TAIL_BYTES = 16 * 1024

export async function runPostCreate(
  preparation: Preparation,
  spec: WorkspaceSpec,
  commands: readonly string[],
): Promise<void> {
  // The marker of the workspace's creation: a rollback ends what these commands left running, too.
  const marker = readRecord(preparation.target)?.spawnId ?? randomUUID()
  await runHook({ hook: 'postCreate', commands, preparation, spec, marker })
}

/** What an interrupted run left is ended first. */
export async function runPreRemove(preparation: Preparation, spec: WorkspaceSpec): Promise<void> {
  const commands = spec.project.preRemove ?? []
  if (commands.length === 0) return
  const marker = `preRemove-${sha256Hex(preparation.target).slice(0, 16)}`
  await stopProcesses(marker, [], { graceMs: 0 })
  await runHook({ hook: 'preRemove', commands, preparation, spec, marker })
}

interface Hook {
  hook: 'postCreate' | 'preRemove'
  commands: readonly string[]
  preparation: Preparation
  spec: WorkspaceSpec
  marker: string
}

const LOG_NAMES: Record<Hook['hook'], string> = { postCreate: 'post-create.log', preRemove: 'pre-remove.log' }

async function runHook({ hook, commands, preparation, spec, marker }: Hook): Promise<void> {
  mkdirSync(spec.stateDir, { recursive: true, mode: 0o700 })
  const log = join(spec.stateDir, LOG_NAMES[hook])
  writeFileSync(log, '', { mode: 0o600 })
  const timeoutMs = (spec.project.postCreateTimeout ?? DEFAULT_TIMEOUT_S) * 1000
  for (const command of commands) {
    preparation.onProgress(`${hook}: ${command}`)
    appendFileSync(log, `$ ${command}\n`)
    const end = await runOne({ preparation, spec, command, log, timeoutMs, marker })
    // Processes that left the group are found by the marker. After a success they stay: a command may start a server.
    if (!end.ok) await stopProcesses(marker, [], { graceMs: 0 })
    if (!end.ok) throw hookFailed(hook, command, log, end)
  }
}

interface Run {
  preparation: Preparation
  spec: WorkspaceSpec
  command: string
  log: string
  timeoutMs: number
  marker: string
}

interface End {
  ok: boolean
  exitCode: number | null
  how: string
  tail: string
}

function runOne({ preparation, spec, command, log, timeoutMs, marker }: Run): Promise<End> {
  return new Promise((resolve) => {
    const child = startProgram('sh', ['-c', command], {
      cwd: preparation.target,
      env: {
        ...forCommand(preparation.env, spec.project.environment ?? {}),
        AO_SESSION: spec.sessionId,
        AO_PROJECT_ID: spec.projectId,
        ...spec.variables,
        [SPAWN_MARKER]: marker,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const output = collectOutput(log, preparation.onProgress)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      killGroup(child.pid)
    }, timeoutMs)
    const finish = (exitCode: number | null, how: string) => {
      clearTimeout(timer)
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ ok: exitCode === 0 && !timedOut, exitCode, how, tail: output.end() })
    }
    child.stdout.on('data', output.push)
    child.stderr.on('data', output.push)
    child.on('error', (error) => finish(null, `could not be started: ${error.message}`))
    whenEnded(child, (exitCode, signal) => {
      const ended = signal ? `was ended by ${signal}` : `failed with exit code ${exitCode}`
      finish(exitCode, timedOut ? `did not finish in ${timeoutMs / 1000} s and was ended` : ended)
    })
  })
}

/** Everything goes to the log up to a limit, line by line to the progress, and its end is kept for the error. */
function collectOutput(log: string, onProgress: (line: string) => void): { push(chunk: Buffer): void; end(): string } {
  let logged = 0
  let rest = ''
  let tail = ''
  return {
    push(chunk) {
      const room = Math.max(0, MAX_LOG_BYTES - logged)
      if (room > 0) appendFileSync(log, chunk.subarray(0, room))
      logged += chunk.length
      const text = chunk.toString('utf8')
      tail = (tail + text).slice(-TAIL_BYTES)
      const lines = (rest + text).split('\n')
      rest = lines.pop()!.slice(-TAIL_BYTES)
      for (const line of lines) onProgress(line)
    },
    end() {
      if (rest !== '') onProgress(rest)
      rest = ''
      return tail
    },
  }
}

function hookFailed(hook: Hook['hook'], command: string, log: string, end: End): AoError {
  const output = lastLines(end.tail, 10)
  return new AoError(
    'POST_CREATE_FAILED',
    `${hook} command ${JSON.stringify(command)} ${end.how}${output ? `:\n${output}` : ''}`,
    {
      hint: `Read all of its output: ${log}`,
      details: { command, exitCode: end.exitCode, log, output },
    },
  )
}
