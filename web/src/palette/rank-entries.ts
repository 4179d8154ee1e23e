// Which entries of the palette match what was typed, the best first. Pure.
import type { Pin } from '../../../src/contract/dashboard/search.ts'
import type { IconName } from '../ui/icon.tsx'

export interface Entry {
  id: string
  /** What is shown, and what it is: "Session", "Page". */
  label: string
  kind: string
  icon: IconName
  /** More words to find it by. */
  keywords?: string
  /** Where it leads; without one it does something. */
  href?: string
  onSelect?: () => void
}

export function sessionHref(id: string): string {
  return `/sessions/${id}`
}

/** Pinned sessions first, as they were pinned; those that nobody has read yet are found by their ids. */
export function withPins(entries: readonly Entry[], pins: readonly Pin[]): Entry[] {
  const byHref = new Map(entries.map((entry) => [entry.href, entry]))
  const pinned = pins.map(({ session, folder }): Entry => {
    const href = sessionHref(session)
    const kind = folder === null ? 'Pinned' : `Pinned in ${folder}`
    return { id: `session ${session}`, label: session, ...byHref.get(href), href, kind, icon: 'pin' }
  })
  const listed = new Set(pinned.map(({ href }) => href))
  return [...pinned, ...entries.filter(({ href }) => !listed.has(href))]
}

export function rankEntries(entries: readonly Entry[], query: string, most: number): Entry[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .flatMap((entry, order) => {
      const score = scoreOf(entry, terms)
      return score === null ? [] : [{ entry, score, order }]
    })
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, most)
    .map(({ entry }) => entry)
}

/** Words inside sessions follow; a session that is listed by its own name is not listed again. */
export function addHits(found: readonly Entry[], hits: readonly Entry[]): Entry[] {
  const listed = new Set(found.map(({ href }) => href))
  return [...found, ...hits.filter(({ href }) => !listed.has(href?.split('?')[0]))]
}

/** null: a word is missing. The beginning of the label counts most, then the beginning of a word. */
function scoreOf({ label, keywords: more = '', kind }: Entry, terms: readonly string[]): number | null {
  const name = label.toLowerCase()
  const all = `${name} ${more} ${kind}`.toLowerCase()
  let score = 0
  for (const word of terms) {
    if (!all.includes(word)) return null
    if (name.startsWith(word)) score += 3
    else if (new RegExp(`[^a-z0-9]${escapeWord(word)}`).test(` ${name}`)) score += 2
    else if (name.includes(word)) score += 1
  }
  return score
}

function escapeWord(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
