// The evidence of a failure as one file: bounded, redacted, readable only by its owner. Old bundles are removed to make
// room.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type EventRow, eventJson, toSessionEvent } from '../../contract/agh/events.ts'
import type { SessionFailure, SessionMeta } from '../../contract/agh/session-meta.ts'
import type { FailureKind } from '../../contract/agh/session-terms.ts'
import { deservesCrashBundle } from '../../core/agh/session/classify-failure.ts'
import type { ExitStatus } from '../../core/agh/session/classify-stop.ts'
import { redactEnd, redactStart, redactValue, secretValues } from '../../core/text/redact.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { nowIso } from '../../lib/clock.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { removeFile } from '../../lib/remove.ts'
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'

const MAX_SUMMARY = 2_000
const MAX_EVIDENCE = 32 * 1024
const MAX_BUNDLES = 100
const SHOWN_EVENTS = 20
const MAX_EVENT = 2_000

export interface Evidence {
  meta: SessionMeta
  kind: FailureKind
  error: string
  exit: ExitStatus | null
  stderr: string
  events: readonly EventRow[]
  /** What must not be in it. */
  secrets: readonly string[]
}

export async function describeFailure(context: AghContext, evidence: Evidence): Promise<SessionFailure> {
  const failure = summarizeFailure(evidence.kind, evidence.error, evidence.secrets)
  if (!deservesCrashBundle(evidence.kind)) return failure
  const path = bundlePath(context, evidence)
  // A failure must remain describable on a full disk.
  await ignoreFailure('no crash bundle was written', context.log, () => {
    writeBundle(context, path, evidence, failure)
    failure.crash_bundle_path = path
    removeOldBundles(context.paths.crashBundles)
  })
  return failure
}

/** Without a bundle: for failures that the session survives. */
export function summarizeFailure(kind: FailureKind, error: string, secrets: readonly string[]): SessionFailure {
  return { kind, summary: cleanDetail(error, secrets) }
}

/** Why something ended or failed, in the words of an agent, a hook or the system. */
export function cleanDetail(detail: string, secrets: readonly string[]): string {
  return redactStart(detail, MAX_SUMMARY, secrets)
}

/** Of the daemon's environment and of the agent's own. */
export function secretsOf(context: AghContext, session: LiveSession): string[] {
  return [session.token, ...secretValues(context.env), ...secretValues(session.environment ?? {})]
}

function writeBundle(context: AghContext, path: string, evidence: Evidence, failure: SessionFailure): void {
  const { meta, exit } = evidence
  const clean = (text: string) => redactEnd(text, MAX_EVIDENCE, evidence.secrets)
  const document = {
    schema: 'agh.session_crash_bundle.v1',
    created_at: nowIso(context),
    session: { id: meta.id, name: meta.name, type: meta.type, state: meta.state, workspace_path: meta.workspace_path },
    provider: { agent_name: meta.agent_name, acp_session_id: meta.acp_session_id },
    failure: { kind: failure.kind, summary: failure.summary },
    process: meta.process && {
      identity: meta.process.identity,
      command: meta.process.command.map(clean),
      started_at: meta.process.started_at,
      exit_code: exit?.code ?? null,
      signal: exit?.signal ?? null,
    },
    error: clean(evidence.error),
    stderr: evidence.stderr === '' ? null : clean(evidence.stderr),
    events: evidence.events.slice(-SHOWN_EVENTS).map((row) => eventText(meta.id, row, evidence.secrets)),
  }
  mkdirSync(context.paths.crashBundles, { recursive: true, mode: 0o700 })
  writeFileAtomic(path, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600, durable: false })
}

/** Texts are redacted inside the event, before JSON escapes hide them. */
function eventText(sessionId: string, row: EventRow, secrets: readonly string[]): string {
  if (row.content.length > MAX_EVENT * 16) return redactStart(eventJson(sessionId, row), MAX_EVENT, secrets)
  return JSON.stringify(redactValue(toSessionEvent(sessionId, row), secrets)).slice(0, MAX_EVENT)
}

function bundlePath(context: AghContext, { meta, kind }: Evidence): string {
  return join(context.paths.crashBundles, `${nowIso(context).replace(/[:.]/g, '-')}-${meta.id}-${kind}.json`)
}

/** Names begin with a timestamp, so they sort by age. */
function removeOldBundles(directory: string): void {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
  for (const name of names.slice(0, -MAX_BUNDLES)) removeFile(join(directory, name))
}
