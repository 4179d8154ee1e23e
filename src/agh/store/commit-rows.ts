// Events into their table, in one transaction: several rows with each statement, as the call costs more than the row.
import type { EventRow } from '../../contract/agh/events.ts'
import type { Connection } from './database.ts'

const ROWS_AT_ONCE = 16
const ONE_ROW = '(?, ?, ?, ?, ?)'

/** All of the rows, or none. */
export function prepareCommit(db: Connection): (rows: readonly EventRow[]) => void {
  const insertOne = db.prepare(`INSERT INTO events VALUES ${ONE_ROW}`)
  const insertMany = db.prepare(`INSERT INTO events VALUES ${Array(ROWS_AT_ONCE).fill(ONE_ROW).join(', ')}`)
  return db.transaction((rows: readonly EventRow[]) => {
    const rest = rows.length % ROWS_AT_ONCE
    for (let from = 0; from < rows.length - rest; from += ROWS_AT_ONCE) {
      insertMany.run(rows.slice(from, from + ROWS_AT_ONCE).flatMap(valuesOf))
    }
    for (const row of rows.slice(rows.length - rest)) insertOne.run(valuesOf(row))
  })
}

function valuesOf(row: EventRow): Array<string | number | null> {
  return [row.sequence, row.turn_id, row.type, row.timestamp, row.content]
}
