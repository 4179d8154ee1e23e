// All sessions as a table: sorted by a column, selected for acts on several. Rows hold still under a hand, like cards.
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import type { SessionCard } from '../../../../../src/contract/dashboard/cards.ts'
import type { Pin } from '../../../../../src/contract/dashboard/search.ts'
import { StatusBadge } from '../../../session/badges.tsx'
import { needLook, statusLook } from '../../../session/labels.ts'
import { matterLine, matterText } from '../../../session/matter.ts'
import { LimitWait, SpentFact } from '../../../session/money.tsx'
import { NeedBadge } from '../../../session/need-view.tsx'
import { PinMark, pinnedFirst } from '../../../session/pins.tsx'
import { useHeld, useSteadyList } from '../../../steady/use-steady-list.ts'
import { Icon } from '../../../ui/icon.tsx'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { Spelled, Visible } from '../../../ui/text/visible.tsx'
import { MoreButton } from '../more-button.tsx'
import type { MoreEnded } from '../use-ended.ts'
import { BulkBar } from './bulk-bar.tsx'
import { nextSort, type Sort, type SortKey, sortCards } from './sort-cards.ts'

interface Props {
  /** In the board's order. */
  cards: readonly SessionCard[]
  pins: readonly Pin[]
  sort: Sort
  onSort: (sort: Sort) => void
  /** Filter and order as one text: another one starts anew. */
  choice: string
  /** Ended sessions that are not here yet, and how many. */
  more: MoreEnded | null
  left: number
}

const HEADS: ReadonlyArray<{ key: SortKey; title: string; className?: string }> = [
  { key: 'title', title: 'Session' },
  { key: 'need', title: 'Needs you', className: 'max-sm:hidden' },
  { key: 'status', title: 'Status' },
  { key: 'project', title: 'Project', className: 'max-lg:hidden' },
  { key: 'agent', title: 'Agent', className: 'max-md:hidden' },
  { key: 'age', title: 'Age', className: 'text-right max-md:hidden' },
  { key: 'activity', title: 'Active', className: 'text-right max-sm:hidden' },
  { key: 'cost', title: 'Cost', className: 'text-right' },
]

export function SessionTable({ cards, pins, sort, onSort, choice, more, left }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const held = useHeld(ref)
  const entries = useSteadyList(
    pinnedFirst(sortCards(cards, sort), pins, ({ id }) => id),
    { keyOf: ({ id }) => id, held, choice },
  )
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const chosen = cards.filter(({ id }) => selected.has(id))
  const areAll = cards.length > 0 && chosen.length === cards.length
  const toggle = (id: string) => setSelected((before) => flip(before, id))
  return (
    <div ref={ref} className="min-w-0">
      <div className="rounded-lg border bg-surface shadow-card max-lg:overflow-x-auto">
        <table className="w-full text-sm">
          <thead className="border-b text-left text-xs text-muted lg:sticky lg:top-0 lg:z-10 lg:*:*:bg-surface lg:*:*:first:rounded-tl-lg lg:*:*:last:rounded-tr-lg lg:*:*:shadow-[0_1px_0_var(--line)]">
            <tr>
              <th className="w-8 py-2 pl-3">
                <input
                  type="checkbox"
                  aria-label="Select all shown sessions"
                  checked={areAll}
                  onChange={() => setSelected(areAll ? new Set() : new Set(cards.map(({ id }) => id)))}
                  className="size-4 accent-(--accent)"
                />
              </th>
              {HEADS.map(({ key, title, className = '' }) => (
                <th
                  key={key}
                  aria-sort={ariaSort(sort, key)}
                  className={`px-2 py-2 font-medium whitespace-nowrap ${className}`}
                >
                  <button
                    type="button"
                    onClick={() => onSort(nextSort(sort, key))}
                    className="inline-flex items-center gap-1 rounded hover:text-ink"
                  >
                    {title}
                    {sort.key === key && (
                      <Icon name="down" className={`size-3 ${sort.isDescending ? '' : 'rotate-180'}`} />
                    )}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.map(({ key, item, goneAt }) => (
              <Row
                key={key}
                card={item}
                isGone={goneAt !== null}
                isSelected={selected.has(key)}
                onSelect={() => toggle(key)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {more && (
        <div className="flex justify-center py-2">
          <MoreButton left={left} more={more} onMore={more.load} />
        </div>
      )}
      <BulkBar cards={chosen} onClear={() => setSelected(new Set())} />
    </div>
  )
}

interface RowProps {
  card: SessionCard
  isGone: boolean
  isSelected: boolean
  onSelect: () => void
}

function Row({ card, isGone, isSelected, onSelect }: RowProps) {
  const calls = card.column === 'needs_you' && card.need
  return (
    <tr
      data-row={card.id}
      className={`border-b last:border-b-0 ${isGone ? 'bg-canvas grayscale' : ''} ${isSelected ? 'bg-accent-soft' : 'hover:bg-hover'}`}
    >
      <td className="py-1.5 pl-3">
        <input
          type="checkbox"
          aria-label={`Select ${card.id}`}
          checked={isSelected}
          disabled={isGone}
          onChange={onSelect}
          className="size-4 accent-(--accent)"
        />
      </td>
      <td className="max-w-80 min-w-40 px-2 max-sm:min-w-28 py-1.5">
        <Link href={`/sessions/${encodeURIComponent(card.id)}`} className="line-clamp-2 font-medium hover:underline">
          <Visible text={card.title} />
        </Link>
        <span className="text-xs text-muted">
          <PinMark id={card.id} />
          {card.id}
        </span>
      </td>
      <td className="max-w-72 px-2 py-1.5 max-sm:hidden">
        {calls && (
          <>
            {/* What the status says is not said twice. */}
            {needLook(calls).word !== statusLook(card).word && <NeedBadge need={calls} />}
            <span className="line-clamp-2 text-xs text-muted" title={matterText(calls)}>
              <Spelled text={matterLine(calls)} />
            </span>
          </>
        )}
      </td>
      <td className="px-2 py-1.5 whitespace-nowrap">
        <StatusBadge card={card} />
        <span className="block text-xs">
          <LimitWait card={card} />
        </span>
      </td>
      <td className="max-w-32 truncate px-2 py-1.5 text-muted max-lg:hidden">{card.projectId}</td>
      <td className="max-w-32 truncate px-2 py-1.5 text-muted max-md:hidden">{card.agent}</td>
      <td className="px-2 py-1.5 text-right whitespace-nowrap text-muted max-md:hidden">
        <TimeAgo at={card.createdAt} />
      </td>
      <td className="px-2 py-1.5 text-right whitespace-nowrap text-muted max-sm:hidden">
        <TimeAgo at={card.lastActivityAt} />
      </td>
      <td className="px-2 py-1.5 pr-3 text-right">
        <SpentFact card={card} />
      </td>
    </tr>
  )
}

function ariaSort(sort: Sort, key: SortKey): 'ascending' | 'descending' | 'none' {
  if (sort.key !== key) return 'none'
  return sort.isDescending ? 'descending' : 'ascending'
}

function flip(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(id)) next.add(id)
  return next
}
