// Named pipes and devices among ao's own files: nothing reads them, and nothing else reports them.
import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { quoteForShell } from '../../../core/text/command-line.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

const MAX_ENTRIES = 100_000
const SHOWN = 50

export async function checkOddFiles(ao: Ao, io: Io): Promise<Finding[]> {
  const projects = Object.keys(ao.config.projects).map((id) => ao.paths.project(id).dir)
  const odd = [...projects, join(ao.paths.observability, '..'), join(io.home, '.ao')].flatMap(findOdd)
  return odd.slice(0, SHOWN).map(({ path, what }) => ({
    level: 'fail',
    name: 'files',
    detail: `${path} is ${what}, where ao keeps plain files; it is not read`,
    fix: `Look at it, then remove it: rm ${quoteForShell(path)}`,
  }))
}

function findOdd(root: string): Array<{ path: string; what: string }> {
  const found: Array<{ path: string; what: string }> = []
  const waiting = [root]
  let left = MAX_ENTRIES
  for (let directory = waiting.pop(); directory !== undefined && left > 0; directory = waiting.pop()) {
    for (const entry of entriesOf(directory)) {
      left -= 1
      const path = join(directory, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFIFO()) found.push({ path, what: 'a named pipe' })
      else if (entry.isCharacterDevice() || entry.isBlockDevice()) found.push({ path, what: 'a device' })
    }
  }
  return found
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    // Not created yet, gone meanwhile, or unreadable, which the other checks report.
    return []
  }
}
