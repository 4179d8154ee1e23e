// Which cards are shown. Kept in the address, so that a view can be bookmarked and shared. Pure.
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { Pin } from '../../../../src/contract/dashboard/search.ts'
import { describeCard, matchesFilter, type SessionFilter } from '../../../../src/core/board/match-search.ts'

/** `pinned`: a folder, or all that are pinned. */
export type BoardFilter = SessionFilter & { pinned: string }

export const NO_FILTER: BoardFilter = { project: '', agent: '', text: '', pinned: '' }
/** No name of a folder. */
export const ALL_PINNED = '*'

const KEYS: Record<keyof BoardFilter, string> = { project: 'project', agent: 'agent', text: 'q', pinned: 'pinned' }

export function readFilter(search: string): BoardFilter {
  const params = new URLSearchParams(search)
  const get = (key: keyof BoardFilter) => params.get(KEYS[key]) ?? ''
  return { project: get('project'), agent: get('agent'), text: get('text'), pinned: get('pinned') }
}

/** Other parameters of the address are preserved. */
export function writeFilter(search: string, filter: BoardFilter): string {
  const params = new URLSearchParams(search)
  for (const key of Object.keys(KEYS) as Array<keyof BoardFilter>) {
    if (filter[key] === '') params.delete(KEYS[key])
    else params.set(KEYS[key], filter[key])
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

export function isFiltering(filter: BoardFilter): boolean {
  return Object.values(filter).some((value) => value.trim() !== '')
}

export function matches(card: SessionCard, filter: BoardFilter, pins: readonly Pin[]): boolean {
  const isIn = ({ session, folder }: Pin) =>
    session === card.id && (filter.pinned === ALL_PINNED || folder === filter.pinned)
  return (filter.pinned === '' || pins.some(isIn)) && matchesFilter(filter, () => describeCard(card))
}
