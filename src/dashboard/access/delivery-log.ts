// Which webhook deliveries were already accepted. A signature does not say when it was made, so a delivery counts once.
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'

/** Far more than a forge sends while a captured delivery could be of use. */
const MOST_DELIVERIES = 10_000

export interface DeliveryLog {
  /** false: it was accepted before. */
  take(id: string): boolean
}

export function openDeliveryLog(file: string): DeliveryLog {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const kept = readIds(file).slice(-MOST_DELIVERIES)
  writeFileAtomic(file, kept.map((id) => `${id}\n`).join(''))
  const taken = new Set(kept)
  return {
    take(id) {
      if (taken.has(id)) return false
      taken.add(id)
      appendFileSync(file, `${id}\n`)
      if (taken.size > 2 * MOST_DELIVERIES) forgetOldest(file, taken)
      return true
    },
  }
}

function forgetOldest(file: string, taken: Set<string>): void {
  for (const id of taken) {
    if (taken.size <= MOST_DELIVERIES) break
    taken.delete(id)
  }
  writeFileAtomic(file, [...taken].map((id) => `${id}\n`).join(''))
}

function readIds(file: string): string[] {
  return (readIfThere(file) ?? '').split('\n').filter(Boolean)
}
