// One look into OpenCode's database: read-only, never waiting for its writer. Whatever is wrong with it reads as null.
import { stat } from 'node:fs/promises'
import type { Database } from 'better-sqlite3'
import { errorText } from '../../contract/errors.ts'
import type { Log } from '../../lib/log.ts'

/** A writer holds the database for milliseconds; longer means that the next look will tell. */
const BUSY_MS = 50

export async function lookInto<T>(path: string, log: Log, look: (database: Database) => T): Promise<T | null> {
  try {
    if (!(await stat(path)).isFile()) return null
    const { default: open } = await import('better-sqlite3')
    const database = open(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS })
    try {
      return look(database)
    } finally {
      database.close()
    }
  } catch (error) {
    log.debug(`opencode database ${path}: ${errorText(error)}`)
    return null
  }
}
