// Writes the tables of docs/agents-measured.md from results.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CELLS } from './cells/cells.ts'
import { MEASURED_BEGIN, MEASURED_END, renderMeasured } from './cells/print-table.ts'
import { readResults } from './cells/results.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'agents-measured.md')

export function writeMeasured(): void {
  const page = readFileSync(PAGE, 'utf8')
  const begin = page.indexOf(MEASURED_BEGIN)
  const end = page.indexOf(MEASURED_END)
  if (begin === -1 || end < begin) throw new Error(`${PAGE} has no place for what was measured`)
  const after = page.slice(end + MEASURED_END.length)
  writeFileSync(PAGE, `${page.slice(0, begin)}${renderMeasured(readResults(), CELLS)}${after}`)
}

if (import.meta.main) writeMeasured()
