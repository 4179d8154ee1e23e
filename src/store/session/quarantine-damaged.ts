// A damaged metadata file is evidence: a copy is kept before the readable part of it goes on.
import { join } from 'node:path'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { readBytes } from '../../lib/plain-file.ts'
import type { StoreContext } from '../store-context.ts'
import { fileTimestamp } from './archive-files.ts'
import { appendHistory } from './history.ts'
import type { StoredSession } from './session-file.ts'

/** Only under the session's lock. */
export function quarantineDamaged(context: StoreContext, stored: StoredSession): void {
  const { paths, clock, log } = context
  const original = readBytes(paths.sessionFile(stored.id))
  const copy = join(paths.damaged, `${stored.id}_${fileTimestamp(clock.now())}`)
  // The same file twice in one millisecond is the same evidence.
  createFileExclusive(copy, original)
  const why = stored.problems.slice(0, 5).join('; ')
  appendHistory(context, stored.id, [{ type: 'metadata.damaged', setAside: copy, why }])
  log.warn(`the metadata of ${stored.id} was damaged (${why}); the original is kept as ${copy}`)
}
