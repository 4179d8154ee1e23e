// The conversation that came with an imported session: its runtime is on another machine.
import { join } from 'node:path'
import { MAX_FOREIGN_BYTES, readIfThere } from '../../lib/plain-file.ts'

/** The same name as in the export. */
const FILE = 'transcript.json'

/** As it came, unread; null: there is none. */
export function readImportedTranscript(stateDir: string): string | null {
  return readIfThere(join(stateDir, FILE), { maxBytes: MAX_FOREIGN_BYTES, noFollow: true })
}
