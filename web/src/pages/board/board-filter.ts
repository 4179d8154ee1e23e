// Which cards are shown. Kept in the address, so that a view can be bookmarked and shared. Pure.
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { describeCard, matchesFilter, type SessionFilter } from '../../../../src/core/board/match-search.ts'

export type BoardFilter = SessionFilter

const KEYS: Record<keyof BoardFilter, string> = { project: 'project', agent: 'agent', text: 'q' }

export function readFilter(search: string): BoardFilter {
  const params = new URLSearchParams(search)
  const get = (key: keyof BoardFilter) => params.get(KEYS[key]) ?? ''
  return { project: get('project'), agent: get('agent'), text: get('text') }
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
  return filter.project !== '' || filter.agent !== '' || filter.text.trim() !== ''
}

export function matches(card: SessionCard, filter: BoardFilter): boolean {
  return matchesFilter(filter, () => describeCard(card))
}
