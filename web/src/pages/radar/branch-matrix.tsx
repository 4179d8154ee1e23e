// Every live branch against every other: a cell is a pair that meets.

import type { Meeting, RadarBranch } from '../../../../src/contract/dashboard/radar.ts'
import { visibleLine } from '../../../../src/core/text/visible-text.ts'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { pairOf } from './meeting-list.tsx'

interface Props {
  branches: readonly RadarBranch[]
  meetings: readonly Meeting[]
  chosen: string | null
  onChoose: (pair: string | null) => void
}

/** A wider table than any screen; the list below has all of them. */
const LARGEST = 40

const MARKS = {
  conflict: { mark: '✗', text: 'conflict', look: 'bg-bad-soft text-bad' },
  solved: { mark: '◎', text: 'conflict, which the train solves by rule', look: 'bg-sunken text-muted' },
  clean: { mark: '○', text: 'change the same files and merge cleanly', look: 'bg-attention-soft text-attention' },
  unknown: { mark: '?', text: 'change the same files', look: 'bg-sunken text-muted' },
} as const

export function BranchMatrix({ branches, meetings, chosen, onChoose }: Props) {
  const byPair = new Map(meetings.map((meeting) => [pairOf(meeting), meeting]))
  const between = (a: string, b: string) => byPair.get(`${a}~${b}`) ?? byPair.get(`${b}~${a}`)
  const isWide = branches.length > LARGEST
  return (
    <div className="relative overflow-x-auto">
      <table className="text-sm">
        <caption className="sr-only">Live branches and where they meet</caption>
        <thead className="text-xs text-faint">
          <tr>
            <th scope="col" className="px-2 text-right font-normal">
              <span className="sr-only">Number</span>
            </th>
            <th scope="col" className="px-2 text-left font-normal">
              Branch of
            </th>
            <th scope="col" className="px-2 text-left font-normal max-sm:hidden">
              Work
            </th>
            {!isWide &&
              branches.map(({ id }, index) => (
                <th key={id} scope="col" title={id} className="w-8 text-center font-normal">
                  {index + 1}
                  <span className="sr-only">: {id}</span>
                </th>
              ))}
          </tr>
        </thead>
        <tbody>
          {branches.map((row, index) => (
            <tr key={row.id} className="border-t">
              <td className="px-2 text-right text-xs text-faint">{index + 1}</td>
              <th scope="row" className="max-w-72 px-2 py-1 text-left font-normal max-sm:max-w-40">
                <BranchName branch={row} />
              </th>
              <td className="px-2 text-xs whitespace-nowrap text-muted max-sm:hidden">{workOf(row)}</td>
              {!isWide &&
                branches.map((column) => (
                  <td key={column.id} className="p-0.5 text-center">
                    <Cell
                      meeting={row.id === column.id ? undefined : between(row.id, column.id)}
                      isSelf={row.id === column.id}
                      chosen={chosen}
                      onChoose={onChoose}
                    />
                  </td>
                ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function BranchName({ branch }: { branch: RadarBranch }) {
  const { id, sessionId, title, conflictsWithBase, problem } = branch
  return (
    <>
      <span className="flex items-baseline gap-2">
        <span className="shrink-0 whitespace-nowrap">{sessionId === null ? id : <SessionLink id={sessionId} />}</span>
        <span className="truncate text-xs text-muted" title={visibleLine(title)}>
          {title !== id && <Visible text={title} />}
        </span>
      </span>
      {conflictsWithBase.length > 0 && (
        <span className="block truncate text-xs text-bad">
          behind its base, conflicts in <Visible text={conflictsWithBase.join(', ')} />
        </span>
      )}
      {problem !== null && <span className="block truncate text-xs text-attention">{problem}</span>}
    </>
  )
}

function workOf({ commits, files, uncommitted, ready }: RadarBranch): string {
  const parts = [
    `${commits} ${commits === 1 ? 'commit' : 'commits'}`,
    `${files} ${files === 1 ? 'file' : 'files'}`,
    ...(uncommitted > 0 ? [`${uncommitted} uncommitted`] : []),
    ...(ready ? ['ready'] : []),
  ]
  return parts.join(', ')
}

interface CellProps extends Pick<Props, 'chosen' | 'onChoose'> {
  meeting: Meeting | undefined
  isSelf: boolean
}

function Cell({ meeting, isSelf, chosen, onChoose }: CellProps) {
  if (!meeting)
    return (
      <span className="text-faint" aria-hidden="true">
        {isSelf ? '' : '·'}
      </span>
    )
  const { mark, text: relation, look } = MARKS[meeting.kind]
  const pair = pairOf(meeting)
  const label = `${meeting.a} and ${meeting.b} ${relation}`
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      aria-pressed={chosen === pair}
      onClick={() => onChoose(chosen === pair ? null : pair)}
      className={`size-7 rounded font-medium outline-offset-1 hover:outline-1 hover:outline-line-strong focus-visible:outline-2 focus-visible:outline-accent ${look} ${chosen === pair ? 'outline-2 outline-accent' : ''}`}
    >
      {mark}
    </button>
  )
}
