// User programs that run at points of a session's life. A required hook that fails denies what was to follow. Each run is
// bounded in time and recorded.

import type { HookConfig, HookEvent } from '../../../contract/agh/config.ts'
import { durationMs } from '../../../contract/agh/duration.ts'
import { errorText } from '../../../contract/errors.ts'
import { splitCommand } from '../../../core/text/command-line.ts'
import { createTailBuffer } from '../../../host/tail-buffer.ts'
import { killGroup } from '../../../lib/process/kill-group.ts'
import { SPAWN_MARKER } from '../../../lib/process/process-tree.ts'
import { whenEnded } from '../../../lib/process/when-ended.ts'
import { startProgram } from '../../../lib/start-program.ts'
import type { AghContext } from '../context.ts'
import { cleanDetail, secretsOf } from '../crash-bundle.ts'
import type { LiveSession } from '../live-session.ts'

/** The reason given by the first required hook that denies; null when none does. */
export async function runHooks(
  context: AghContext,
  session: LiveSession,
  event: HookEvent,
  facts: object = {},
  /** For all hooks together, in addition to the limit of each. */
  limitMs = Number.POSITIVE_INFINITY,
): Promise<string | null> {
  const deadline = performance.now() + limitMs
  for (const hook of context.config.hooks.filter((one) => one.event === event)) {
    const began = performance.now()
    const { ok, text: output } = await runHook(context, session, hook, facts, deadline - began)
    const text = cleanDetail(output, secretsOf(context, session))
    session.store.recordHookRun({
      event,
      command: hook.command,
      required: hook.required,
      outcome: ok ? 'ok' : 'failed',
      detail: text,
      durationMs: Math.round(performance.now() - began),
    })
    if (!ok && hook.required) return `the hook ${event} denied it: ${text || 'it gave no reason'}`
  }
  return null
}

interface Outcome {
  ok: boolean
  /** What it printed, or why it could not run. */
  text: string
}

const MAX_OUTPUT = 2_000

function runHook(
  context: AghContext,
  session: LiveSession,
  hook: HookConfig,
  facts: object,
  leftMs: number,
): Promise<Outcome> {
  const [file, ...args] = splitCommand(hook.command) ?? []
  if (file === undefined) return Promise.resolve({ ok: false, text: `its command cannot be read: ${hook.command}` })
  const { id, agent_name, workspace_path, acp_session_id } = session.meta
  const input = JSON.stringify({
    event: hook.event,
    session_id: id,
    agent_name,
    workspace_path,
    acp_session_id,
    ...facts,
  })
  const own = durationMs(hook.timeout)
  const limit = Math.max(0, Math.min(own, leftMs))
  const shown = limit < own ? `${Math.round(limit)} ms` : hook.timeout
  return new Promise((resolve) => {
    const child = startProgram(file, args, {
      cwd: workspace_path,
      // With the session's marker: whatever a hook leaves running ends with the session.
      env: {
        ...context.env,
        AGH_HOOK_EVENT: hook.event,
        AGH_SESSION_ID: id,
        [SPAWN_MARKER]: session.meta.process?.spawn_id ?? '',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const output = createTailBuffer(MAX_OUTPUT)
    const timer = setTimeout(() => {
      killGroup(child.pid)
      resolve({ ok: false, text: `it did not end within ${shown}` })
    }, limit)
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.once('error', (error) => resolve({ ok: false, text: errorText(error) }))
    child.once('exit', () => clearTimeout(timer))
    whenEnded(child, (code) => resolve({ ok: code === 0, text: output.text().trim() }))
  })
}
