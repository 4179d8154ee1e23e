// Only one daemon per home. The lock is SQLite's lock on a file: the kernel releases it however the process ends, and only
// someone with access to the home can hold it.
import { mkdirSync } from 'node:fs'
import type { AghPaths } from '../paths.ts'

/** null: another daemon holds it. */
export async function takeDaemonLock(paths: AghPaths): Promise<(() => void) | null> {
  mkdirSync(paths.home, { recursive: true, mode: 0o700 })
  const { default: Database } = await import('better-sqlite3')
  const db = new Database(paths.lock, { timeout: 0 })
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
    return () => db.close()
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
    throw error
  }
}
