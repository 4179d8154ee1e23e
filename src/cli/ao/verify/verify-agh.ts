// Sessions of agh: metadata, and the event log with every event in it.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { aghPaths, sessionDirectory } from '../../../agh/paths.ts'
import { historyFile, listSessionIds, readMeta } from '../../../agh/store/meta-file.ts'
import { isIntact } from '../../../agh/store/open-history.ts'
import { readEventsAfter } from '../../../agh/store/read-log.ts'
import type { EventRow } from '../../../contract/agh/events.ts'
import { errorText } from '../../../contract/errors.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import { fileId, type Ledger } from './ledger.ts'
import type { Task } from './verify-files.ts'

const PAGE = 500

export function aghTasks(io: Io, ledger: Ledger): Task[] {
  const paths = aghPaths(io.env, io.home)
  return listSessionIds(paths).flatMap((id): Task[] => {
    const meta = join(sessionDirectory(paths, id), 'meta.json')
    return [
      {
        kind: 'agh session',
        verify: async () =>
          finding(`agh session ${id}`, meta, `What it was told and said: agh session events ${id}`, () => {
            readMeta(paths, id)
            return ledger.check(meta, 'replaced') ? `was changed since ${ledger.at}, and not by agh` : null
          }),
      },
      { kind: 'event log', verify: () => verifyLog(id, historyFile(paths, id), ledger) },
    ]
  })
}

function verifyLog(id: string, path: string, ledger: Ledger): Promise<Finding[]> {
  const rest = `Carry over the readable events, and record the loss: agh session repair ${id}`
  return finding(`event log of ${id}`, path, rest, async () => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    // A session that never got as far as to have one.
    if (stats === undefined) return null
    if (!(await isIntact(path))) return 'is damaged'
    const before = ledger.before(path)
    const hash = createHash('sha256')
    let last = 0
    let beginning: string | null = null
    for (;;) {
      const rows = await readEventsAfter(path, last, PAGE)
      for (const row of rows) {
        const flaw = flawOf(row, last)
        if (flaw) return `is damaged: event ${last + 1} ${flaw}`
        hash.update(JSON.stringify([row.sequence, row.turn_id, row.type, row.timestamp, row.content]))
        last = row.sequence
        if (last === before?.bytes) beginning = hash.copy().digest('hex')
      }
      if (rows.length < PAGE) break
    }
    const now = { file: fileId(stats), bytes: last, sha256: hash.digest('hex') }
    const isChanged = ledger.compare(path, 'grows', now, () => (before?.bytes === 0 ? before.sha256 : beginning))
    return isChanged ? `has other events than at ${ledger.at}` : null
  })
}

function flawOf({ sequence, type, content }: EventRow, last: number): string | null {
  const isBeginning = last === 0 && type === 'store_trimmed'
  if (sequence !== last + 1 && !isBeginning) return 'is missing'
  try {
    JSON.parse(content)
    return null
  } catch {
    // It is not valid JSON: that is the finding.
    return 'cannot be read'
  }
}

async function finding(
  name: string,
  path: string,
  fix: string,
  flaw: () => string | null | Promise<string | null>,
): Promise<Finding[]> {
  try {
    const found = await flaw()
    return found === null ? [] : [{ level: 'fail', name, detail: `${path} ${found}`, fix }]
  } catch (error) {
    return [{ level: 'fail', name, detail: errorText(error), fix }]
  }
}
