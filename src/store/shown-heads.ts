// Which head of a pull request was shown to the person last: a review without `--head` is of that one, so that what was
// pushed after reading is never approved by accident.
import { join } from 'node:path'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'

const MOST = 200

/** null: none was shown. */
export function shownHead(projectDir: string, url: string): string | null {
  return readShown(projectDir)[url] ?? null
}

/** The project's directory must be there. */
export function noteShownHead(projectDir: string, url: string, head: string): void {
  const shown = readShown(projectDir)
  if (shown[url] === head) return
  delete shown[url]
  const newest = [...Object.entries(shown), [url, head] as const].slice(-MOST)
  writeFileAtomic(fileIn(projectDir), `${JSON.stringify(Object.fromEntries(newest))}\n`, { durable: false })
}

function fileIn(projectDir: string): string {
  return join(projectDir, 'shown-heads.json')
}

function readShown(projectDir: string): Record<string, string> {
  try {
    const found: unknown = JSON.parse(readIfThere(fileIn(projectDir)) ?? '{}')
    const entries = typeof found === 'object' && found !== null ? Object.entries(found) : []
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    // Damaged: nothing was shown.
    return {}
  }
}
