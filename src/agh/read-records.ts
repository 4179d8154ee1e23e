// What a history holds beside its events: the tokens of each turn, and the runs of hooks.
import type { HookRunView, TurnUsage } from '../contract/agh/answers.ts'
import type { AghContext } from './session/context.ts'
import { readSession } from './session/repair-session.ts'
import { readDatabase } from './store/database.ts'
import { historyFile } from './store/meta-file.ts'

/** In the order of the turns. */
export async function readUsage(context: AghContext, sessionId: string): Promise<TurnUsage[]> {
  const sql = 'SELECT turn_id, usage, timestamp FROM token_usage ORDER BY timestamp, rowid'
  const rows = await readRows<{ turn_id: string; usage: string; timestamp: string }>(context, sessionId, sql)
  return rows.map((row) => ({ ...row, usage: JSON.parse(row.usage) as Record<string, unknown> }))
}

/** Oldest first. */
export async function readHookRuns(context: AghContext, sessionId: string): Promise<HookRunView[]> {
  const sql =
    'SELECT number, event, command, required, outcome, detail, duration_ms, timestamp FROM hook_runs ORDER BY number'
  const rows = await readRows<HookRunView>(context, sessionId, sql)
  return rows.map((row) => ({ ...row, required: Boolean(row.required) }))
}

async function readRows<T>(context: AghContext, sessionId: string, sql: string): Promise<T[]> {
  readSession(context, sessionId)
  return readDatabase(historyFile(context.paths, sessionId), (db) => db.prepare(sql).all() as T[])
}
