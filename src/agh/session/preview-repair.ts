// What a repair would do. It writes, ends and quarantines nothing.

import { existsSync } from 'node:fs'
import type { RepairIssue, RepairReport } from '../../contract/agh/answers.ts'
import { emptyOutline, planRepair, type RepairPlan } from '../../core/agh/repair/plan-repair.ts'
import { repairMeta } from '../../core/agh/repair/repair-meta.ts'
import { nowIso } from '../../lib/clock.ts'
import { historyFile } from '../store/meta-file.ts'
import { isIntact } from '../store/open-history.ts'
import { readOutline, readWaiting } from '../store/read-log.ts'
import type { AghContext } from './context.ts'
import { isStale, readSession } from './read-session.ts'

export async function previewRepair(context: AghContext, sessionId: string): Promise<RepairReport> {
  const meta = readSession(context, sessionId)
  if (!isStale(context, sessionId)) return reportOf(sessionId, await planFor(context, meta), false)
  const plan = await planFor(context, repairMeta(meta, nowIso(context)))
  const detail = `The session is ${meta.state} in meta.json, but not running: a repair marks it as stopped`
  const stale: RepairIssue = { code: 'session_stale', severity: 'warning', detail }
  const issues = plan.issues.filter(({ code }) => code !== 'nothing_to_repair')
  return reportOf(sessionId, { ...plan, issues: [stale, ...issues] }, false)
}

async function planFor(context: AghContext, meta: RepairedMeta): Promise<RepairPlan> {
  const path = historyFile(context.paths, meta.id)
  if (meta.state !== 'stopped' || !existsSync(path)) return planRepair(meta, emptyOutline())
  if (!(await isIntact(path))) {
    const nothing = planRepair(meta, { ...emptyOutline(), isBroken: true })
    return { ...nothing, issues: [logDamaged('A repair keeps it aside and carries over what can be read')] }
  }
  return planRepair(meta, await readOutline(path), await readWaiting(path))
}

type RepairedMeta = Parameters<typeof planRepair>[0]

export function logDamaged(what: string): RepairIssue {
  return { code: 'event_log_damaged', severity: 'warning', detail: `The event log is damaged. ${what}` }
}

export function reportOf(sessionId: string, plan: RepairPlan, persisted: boolean): RepairReport {
  return { session_id: sessionId, issues: plan.issues, actions: plan.actions, persisted }
}
