// The order of the table of sessions. Kept in the address. Pure.
import type { SessionCard } from '../../../../../src/contract/dashboard/cards.ts'
import { BOARD_COLUMNS } from '../../../../../src/contract/dashboard/columns.ts'

export const SORTS = ['need', 'title', 'status', 'project', 'agent', 'age', 'activity', 'cost'] as const
export type SortKey = (typeof SORTS)[number]

export interface Sort {
  key: SortKey
  isDescending: boolean
}

/** Who needs somebody first, as on the board. */
const DEFAULT: Sort = { key: 'need', isDescending: false }

export function readSort(search: string): Sort {
  const [word = '', direction] = (new URLSearchParams(search).get('sort') ?? '').split('-')
  const key = SORTS.find((one) => one === word)
  return key === undefined ? DEFAULT : { key, isDescending: direction === 'down' }
}

/** Other parameters of the address are preserved. */
export function writeSort(search: string, sort: Sort): string {
  const params = new URLSearchParams(search)
  if (sort.key === DEFAULT.key && !sort.isDescending) params.delete('sort')
  else params.set('sort', `${sort.key}${sort.isDescending ? '-down' : ''}`)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** A click on a head: the same one turns around; numbers begin with the largest. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  if (sort.key === key) return { key, isDescending: !sort.isDescending }
  return { key, isDescending: key === 'cost' }
}

type Value = string | number | null

const VALUES: Record<SortKey, (card: SessionCard) => Value> = {
  need: ({ column }) => BOARD_COLUMNS.indexOf(column),
  title: ({ title }) => title.toLowerCase(),
  status: ({ status }) => status,
  project: ({ projectId }) => projectId,
  agent: ({ agent }) => agent,
  // The youngest first, like ages grow.
  age: ({ createdAt }) => -Date.parse(createdAt),
  activity: ({ lastActivityAt }) => -Date.parse(lastActivityAt),
  cost: ({ spent }) => spent?.costUsd ?? null,
}

/** Cards are given in the board's order, which decides between equal ones; what is unknown is last, either way. */
export function sortCards(cards: readonly SessionCard[], { key, isDescending }: Sort): SessionCard[] {
  const of = VALUES[key]
  return [...cards].sort((a, b) => {
    const [x, y] = [of(a), of(b)]
    if (x === y) return 0
    if (x === null) return 1
    if (y === null) return -1
    return (x < y ? -1 : 1) * (isDescending ? -1 : 1)
  })
}
