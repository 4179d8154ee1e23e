// When the last worker of a project has ended, the user is notified once, with a summary. New work re-arms it.

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { resolveRules } from '../../core/reactions/resolve-rules.ts'
import { isOrchestrator } from '../../core/session/plan-cleanup.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { LoopContext, SessionTick } from './loop-context.ts'

export async function notifyAllComplete(
  loop: LoopContext,
  project: ProjectConfig,
  stored: Session[],
  ticks: SessionTick[],
): Promise<void> {
  const rule = resolveRules(loop.context.config, project)['all-complete']
  if (!rule.auto) return
  const now = new Map(ticks.map(({ session }) => [session.id, session]))
  const workers = stored
    .map((one) => now.get(one.id) ?? one)
    .filter((one) => !isOrchestrator(one.id, recordOf(one).role ?? ''))
  if (workers.length === 0 || workers.some((one) => !hasEnded(one) || isRestarting(loop, one))) return
  const file = join(loop.context.paths.project(project.id).dir, 'loop', 'all-complete.json')
  const notified = readNotified(file)
  const ended = workers.map((one) => `${one.id}:${recordOf(one).launch ?? 1}`)
  // Cleaning up makes the list shorter, which is not news.
  if (ended.every((one) => notified.has(one))) return
  await loop.notify({
    type: 'summary.all_complete',
    projectId: project.id,
    priority: rule.priority,
    message: `${project.name}: ${rule.message ?? `all ${workers.length} sessions have ended: ${summary(workers)}`}`,
    dedupeKey: `all-complete ${project.id} ${ended.sort().join(' ')}`,
  })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, JSON.stringify(ended))
}

function hasEnded(session: Session): boolean {
  const { operation, switchTo } = recordOf(session)
  // One that continues with another account is between two agents.
  if (operation !== undefined || switchTo !== undefined) return false
  return isTerminalSession({ status: session.status, activity: null })
}

/** A reaction that restarts it was begun, and ends the old agent before it starts the new one. */
function isRestarting(loop: LoopContext, { projectId, id }: Session): boolean {
  return Object.values(loop.reactions.read(projectId, id)).some(
    (record) => record?.action === 'restart-agent' && (record.state === 'intended' || record.state === 'failed'),
  )
}

function summary(workers: Session[]): string {
  return [...Map.groupBy(workers, ({ status }) => status)]
    .map(([status, group]) => `${group.length} ${status} (${group.map(({ id }) => id).join(', ')})`)
    .join('; ')
}

function readNotified(file: string): Set<string> {
  try {
    const notified: unknown = JSON.parse(readPlainText(file))
    return new Set(Array.isArray(notified) ? notified.map(String) : [])
  } catch {
    // Nothing was sent yet, or the file is damaged: it is sent once more, and the outbox knows its key.
    return new Set()
  }
}
