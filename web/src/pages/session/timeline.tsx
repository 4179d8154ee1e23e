// Everything that happened to the session, newest first, with the evidence for each status.

import { useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { HistoryEvent } from '../../api/session-feed.ts'
import { needLook, STATUS_LOOKS } from '../../session/labels.ts'
import { Badge, TONE_TEXT, type Tone } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { formatTime, withLocalTimes } from '../../ui/text/format.ts'
import { Readable } from '../../ui/text/visible.tsx'
import { endsAlone } from './ends-alone.ts'
import { namePulls } from './name-pulls.ts'

interface Props {
  card: Pick<SessionCard, 'pr' | 'otherPulls'>
  history: readonly HistoryEvent[]
}

export function Timeline({ card, history }: Props) {
  const [onlyStatus, setOnlyStatus] = useState(false)
  const shown = history.filter((event) => !onlyStatus || event.type === 'status.changed').toReversed()
  const alone = endsAlone(history)
  if (history.length === 0) return <EmptyState icon="list" title="Nothing has happened yet" />
  return (
    <ScrollArea label="Timeline" className="pb-4">
      <label className="mb-3 flex w-fit items-center gap-2 text-xs text-muted">
        <input
          type="checkbox"
          checked={onlyStatus}
          onChange={(event) => setOnlyStatus(event.target.checked)}
          className="size-3.5 accent-accent"
        />
        Only changes of status
      </label>
      <ol className="relative flex max-w-4xl flex-col before:absolute before:top-3 before:bottom-3 before:left-[0.6875rem] before:w-px before:bg-line">
        {shown.map((event) => (
          <TimelineItem key={event.seq} event={event} card={card} endedAlone={alone.has(event.seq)} />
        ))}
      </ol>
    </ScrollArea>
  )
}

interface ItemProps {
  event: HistoryEvent
  card: Props['card']
  endedAlone: boolean
}

function TimelineItem({ event, card, endedAlone }: ItemProps) {
  const status = event.type === 'status.changed' ? (endedAlone ? ENDED : STATUS_LOOKS[event.to]) : null
  const { icon, tone } = status ?? lookOf(event)
  return (
    <li className="relative flex gap-3 py-1.5 [contain-intrinsic-size:auto_32px] [content-visibility:auto]">
      <span
        className={`z-10 grid size-[1.4375rem] shrink-0 place-items-center rounded-full border bg-surface ${TONE_TEXT[tone]}`}
      >
        <Icon name={icon} className="size-3" />
      </span>
      <div className="min-w-0 flex-1 pt-px text-sm">
        {status ? (
          <Badge tone={status.tone}>{status.word}</Badge>
        ) : (
          <span className="line-clamp-3 whitespace-pre-wrap">
            <Readable text={withLocalTimes(event.words)} />
          </span>
        )}
        {event.type === 'status.changed' && event.evidence.length > 0 && (
          <ul className="mt-1 flex flex-col gap-0.5 text-xs text-muted">
            {event.evidence.map((text) => (
              <li key={text}>
                <Readable text={withLocalTimes(namePulls(text, card))} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <time dateTime={event.at} title={event.at} className="shrink-0 pt-0.5 text-xs text-faint">
        {clockTime(event.at)}
      </time>
    </li>
  )
}

/** As its card calls it. */
const ENDED = needLook({ kind: 'error', cause: 'ended' })

function lookOf(event: HistoryEvent): { icon: IconName; tone: Tone } {
  if (event.type === 'operation.failed' || event.type === 'message.undelivered') return { icon: 'warning', tone: 'bad' }
  if (event.type === 'metadata.damaged') return { icon: 'warning', tone: 'bad' }
  if (event.type === 'reaction') return { icon: 'reply', tone: event.outcome === 'failed' ? 'bad' : 'accent' }
  if (event.type.startsWith('message.')) return { icon: 'send', tone: 'neutral' }
  if (event.type.startsWith('workspace.')) return { icon: 'branch', tone: 'neutral' }
  if (event.type.startsWith('runtime.')) return { icon: 'terminal', tone: 'neutral' }
  return { icon: 'info', tone: 'neutral' }
}

/** The day only if it is not today. */
function clockTime(at: string): string {
  const time = new Date(at)
  const clock = formatTime(time, { seconds: true })
  if (time.toDateString() === new Date().toDateString()) return clock
  return `${time.toLocaleDateString([], { month: 'short', day: 'numeric' })} ${clock}`
}
