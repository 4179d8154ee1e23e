// An event log as a repair reads it, in pages: only numbers, types and names leave the database, however large it is.
import { setImmediate as nextRound } from 'node:timers/promises'
import { emptyOutline, foldOutline, type Outline, type OutlineRow } from '../../core/agh/repair/plan-repair.ts'
import { readDatabase } from './database.ts'

const PAGE = 2_000
const MAX_TITLE = 500

const SQL = `
  SELECT sequence, turn_id, type, is_sound,
    CASE WHEN is_sound AND is_tool AND json_type(content, '$.toolCallId') = 'text' THEN content ->> '$.toolCallId' END
      AS tool_call_id,
    CASE WHEN is_sound AND is_tool AND json_type(content, '$.title') = 'text'
      THEN substr(content ->> '$.title', 1, ${MAX_TITLE}) END AS title
  FROM (
    SELECT sequence, turn_id, type, content, type IN ('tool_call', 'tool_result') AS is_tool,
      CASE WHEN json_valid(content) THEN json_type(content) IN ('object', 'array') ELSE 0 END AS is_sound
    FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?
  )`

export async function readOutline(path: string): Promise<Outline> {
  const outline = emptyOutline()
  for (;;) {
    const after = outline.lastSequence ?? 0
    const rows = await readDatabase(path, (db) => db.prepare(SQL).all(after, PAGE) as Array<OutlineRow>)
    for (const row of rows) foldOutline(outline, { ...row, is_sound: Boolean(row.is_sound) })
    if (rows.length < PAGE || outline.isBroken) return outline
    // Other work gets its turn between two pages.
    await nextRound()
  }
}
