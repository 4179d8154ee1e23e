// The sessions of a task as rows: what checks them, how large and how expensive each is.
import { Link } from 'wouter'
import type { ComparedSession } from '../../../../src/contract/dashboard/tasks.ts'
import { plural } from '../../../../src/core/text/format-age.ts'
import { visibleLine } from '../../../../src/core/text/visible-text.ts'
import { LineCounts } from '../../diff/line-counts.tsx'
import { CI_LOOKS, type Look as LookOf, REVIEW_LOOKS, statusLook } from '../../session/labels.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { Visible } from '../../ui/text/visible.tsx'

interface Props {
  sessions: readonly ComparedSession[]
  chosen: string | null
  /** null: there is nothing to choose. */
  onChoose: ((session: string) => void) | null
}

const HEADS = ['Session', 'Status', 'Checks', 'Review', 'Size', 'Cost', 'Minutes'] as const

/** Where a row has no room for all of them, each is a line of its own with its head before it. */
const CELL =
  'px-4 py-2 max-lg:flex max-lg:items-start max-lg:justify-between max-lg:gap-4 max-lg:py-1 max-lg:before:text-xs max-lg:before:text-faint max-lg:before:content-[attr(data-head)]'

export function ComparedTable({ sessions, chosen, onChoose }: Props) {
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full text-sm max-lg:block">
        <caption className="sr-only">Sessions of this task</caption>
        <thead className="text-left text-xs text-faint max-lg:hidden">
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col" className="px-4 py-1 font-normal whitespace-nowrap">
                {head}
              </th>
            ))}
            {onChoose && (
              <th scope="col">
                <span className="sr-only">Choose</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody className="max-lg:block">
          {sessions.map((one) => (
            <tr
              key={one.id}
              className={`border-t align-top max-lg:block max-lg:py-2 ${one.id === chosen ? 'bg-good-soft' : ''}`}
            >
              <th scope="row" className="px-4 py-2 text-left font-normal whitespace-nowrap max-lg:block max-lg:py-1">
                <SessionLink id={one.id} />
                <span className="block text-xs text-muted">
                  {one.agent}
                  {one.model !== null && (
                    <>
                      , <Visible text={one.model} />
                    </>
                  )}
                </span>
              </th>
              <td data-head="Status" className={CELL}>
                <span className="max-lg:text-right">
                  <Look look={statusLook({ ...one, need: null })} />
                  {one.pull && (
                    <Link
                      href={`/projects/${encodeURIComponent(one.projectId)}/pull/${one.pull.number}`}
                      className="block text-xs hover:underline"
                    >
                      #{one.pull.number}
                    </Link>
                  )}
                </span>
              </td>
              <td data-head="Checks" className={CELL}>
                <Checks session={one} />
              </td>
              <td data-head="Review" className={CELL}>
                <Look look={REVIEW_LOOKS[one.review]} />
              </td>
              <td data-head="Size" className={`${CELL} whitespace-nowrap`}>
                {one.size && (
                  <span>
                    {plural(one.size.files, 'file')} <LineCounts added={one.size.added} removed={one.size.removed} />
                    {one.size.isCut && ' and more'}
                  </span>
                )}
              </td>
              <td data-head="Cost" className={`${CELL} whitespace-nowrap tabular-nums`}>
                {one.costUsd === null ? '' : `$${one.costUsd.toFixed(2)}`}
              </td>
              <td data-head="Minutes" className={`${CELL} tabular-nums`}>
                {one.minutes}
              </td>
              {onChoose && (
                <td className="px-4 py-2 text-right max-lg:block">
                  {!one.isArchived && (
                    <Button size="sm" icon="check" does="POST /api/tasks/:id/choose" onClick={() => onChoose(one.id)}>
                      Choose
                    </Button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Look({ look }: { look: LookOf | null }) {
  return (
    look && (
      <Badge tone={look.tone} icon={look.icon}>
        {look.word}
      </Badge>
    )
  )
}

const MOST = 8

function Checks({ session: { checks, ci } }: { session: ComparedSession }) {
  if (checks.length === 0) return <Look look={CI_LOOKS[ci]} />
  const tones = { passed: 'good', skipped: 'neutral', failed: 'bad', pending: 'neutral', running: 'live' } as const
  return (
    <span className="flex flex-wrap gap-1">
      {checks.slice(0, MOST).map(({ name, status }) => (
        <span key={name} title={`${visibleLine(name)}: ${status}`}>
          <Badge tone={tones[status]}>
            <Visible text={name} />
          </Badge>
        </span>
      ))}
      {checks.length > MOST && <span className="text-xs text-muted">and {checks.length - MOST} more</span>}
    </span>
  )
}
