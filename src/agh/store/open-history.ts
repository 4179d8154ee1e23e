// Opens a session's event log for writing. A damaged file is quarantined, what is still readable is carried over, and the
// loss is recorded in the log itself.
import { isDamage, openDatabase, readDatabase, requireOwnLog } from './database.ts'
import { createEventStore, type EventStore, type EventStoreOptions } from './event-store.ts'
import { finishSalvage, replaceDamaged } from './salvage.ts'

export async function openHistory(path: string, options: EventStoreOptions): Promise<EventStore> {
  await requireOwnLog(path)
  finishSalvage(path)
  try {
    return createEventStore(await openDatabase(path), options)
  } catch (error) {
    if (!isDamage(error)) throw error
    return salvage(path, options)
  }
}

/** Checks every page; for logs whose last writer was killed. */
export async function isSound(path: string): Promise<boolean> {
  await requireOwnLog(path)
  finishSalvage(path)
  try {
    const db = await openDatabase(path)
    try {
      return db.pragma('quick_check(1)', { simple: true }) === 'ok'
    } finally {
      db.close()
    }
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** The same without changing anything: an unfinished salvage stays unfinished. */
export async function isIntact(path: string): Promise<boolean> {
  try {
    return await readDatabase(path, (db) => db.pragma('quick_check(1)', { simple: true }) === 'ok')
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

export async function salvage(path: string, options: EventStoreOptions): Promise<EventStore> {
  await replaceDamaged(path, options)
  return createEventStore(await openDatabase(path), options)
}
