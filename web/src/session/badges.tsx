// A session's status and pull request as badges.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { PAUSED_NOTICE, type SessionCard } from '../../../src/contract/dashboard/cards.ts'
import type { PullCard } from '../../../src/contract/pull.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { useBoard } from '../api/live.ts'
import { Badge, TONE_TEXT } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { SpinnerRing } from '../ui/spinner.tsx'
import { withLocalTimes } from '../ui/text/format.ts'
import { SafeLink } from '../ui/text/safe-link.tsx'
import { TimeAgo } from '../ui/text/time-ago.tsx'
import { Visible } from '../ui/text/visible.tsx'
import {
  ACTIVITY_LABELS,
  CI_LOOKS,
  type Look,
  REVIEW_LOOKS,
  STATUS_LOOKS,
  type StatusFacts,
  statusLook,
} from './labels.ts'

const OPERATIONS: Readonly<Record<string, string>> = {
  spawn: 'Starting',
  kill: 'Killing',
  restore: 'Restoring',
  cleanup: 'Cleaning up',
}

export function StatusBadge({ card }: { card: StatusFacts & Pick<SessionCard, 'operation'> }) {
  if (card.operation !== null) {
    return (
      <span className="inline-flex items-center gap-1.5 rounded bg-live-soft px-1.5 py-px text-xs font-medium text-live">
        <SpinnerRing className="size-2.5" />
        {OPERATIONS[card.operation] ?? card.operation}…
      </span>
    )
  }
  const { word, tone, icon } = statusLook(card)
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  )
}

export function Activity({
  card: { activity, unknown, paused },
}: {
  card: Pick<SessionCard, 'activity' | 'unknown' | 'paused'>
}) {
  if (paused) return <Paused paused={paused} />
  if (activity === null && unknown) return <UnknownActivity unknown={unknown} />
  if (activity === null) return null
  const isActive = activity === 'active'
  const color = isActive
    ? 'bg-live'
    : activity === 'waiting_input' || activity === 'blocked'
      ? 'bg-attention'
      : 'bg-faint'
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span
        aria-hidden="true"
        className={`size-1.5 rounded-full ${color} ${isActive ? 'motion-safe:animate-pulse' : ''}`}
      />
      {ACTIVITY_LABELS[activity]}
    </span>
  )
}

/** What it did stands still: why, and what lets it go on, unless a bar says it for all. */
function Paused({ paused: { since, why, resumes } }: { paused: NonNullable<SessionCard['paused']> }) {
  const isSaid = useBoard()?.notices.some(({ id, text }) => id === PAUSED_NOTICE && text.includes(why)) === true
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 text-attention">
      <Icon name="pause" className="size-3 shrink-0" />
      <span className="min-w-0 break-words">
        Paused <TimeAgo at={since} ago /> {!isSaid && <Visible text={withLocalTimes(`${why}; ${resumes}`)} />}
      </span>
    </span>
  )
}

function UnknownActivity({ unknown }: { unknown: NonNullable<SessionCard['unknown']> }) {
  const { place, since, unreachable } = unknown
  return (
    <span className="inline-flex items-center gap-1.5 text-attention" title={visibleLine(unknown.why)}>
      <Icon name="warning" className="size-3 shrink-0" />
      <span>
        {unreachable ? `${place} unreachable` : 'activity unknown'}
        {unreachable && since !== null && (
          <>
            {' '}
            for <TimeAgo at={since} />
          </>
        )}
      </span>
    </span>
  )
}

/** Leads to the sessions that share its task. */
export function TaskWord({ task }: { task: SessionCard['task'] }) {
  if (task === null) return null
  return (
    <>
      {' · '}
      <Link
        href={task.kind === 'split' ? `/plans/${task.id}` : `/tasks/${task.id}`}
        className="relative z-10 hover:underline"
      >
        {task.word}
      </Link>
    </>
  )
}

/** The one that its status is about, then the others. */
export function CardPulls({ card }: { card: SessionCard }) {
  return card.pr && [card.pr, ...card.otherPulls].map((pr) => <PullBadges key={pr.url} card={card} pr={pr} />)
}

interface PullBadgesProps {
  card: StatusFacts & Pick<SessionCard, 'projectId'>
  pr: PullCard
}

/** What the session's own badge says is not said twice. */
function PullBadges({ card, pr }: PullBadgesProps) {
  const { projectId } = card
  const own = statusLook(card).word
  const name = pr.number === null ? 'Pull request' : `#${pr.number}`
  return (
    <span className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 text-xs">
      <PullLink pr={pr} projectId={projectId}>
        <Icon name={pr.state === 'merged' ? 'merge' : 'pull'} className="size-3.5 text-faint" />
        {name}
      </PullLink>
      {looksOf(pr).map((look) => look.word !== own && <LookWord key={look.word} look={look} />)}
    </span>
  )
}

function looksOf(pr: PullCard): Look[] {
  if (pr.state === 'merged') return [STATUS_LOOKS.merged]
  if (pr.state === 'closed') return [{ word: 'Closed', tone: 'neutral', icon: 'cross' }]
  const conflicts: Look | null = pr.hasConflicts ? { word: 'Conflicts', tone: 'bad', icon: 'warning' } : null
  return [CI_LOOKS[pr.ci], REVIEW_LOOKS[pr.review], conflicts].filter((look) => look !== null)
}

/** Links to its page here; without a number there is only the forge's. */
function PullLink({ pr, projectId, children }: { pr: PullCard; projectId: string; children: ReactNode }) {
  const look = 'relative z-10 inline-flex items-center gap-1 font-medium text-ink hover:underline'
  if (pr.number === null) {
    return (
      <SafeLink href={pr.url} className={look}>
        {children}
      </SafeLink>
    )
  }
  return (
    <Link href={`/projects/${encodeURIComponent(projectId)}/pull/${pr.number}`} className={look}>
      {children}
    </Link>
  )
}

function LookWord({ look }: { look: Look }) {
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap ${TONE_TEXT[look.tone]}`}>
      <Icon name={look.icon} className="size-3" />
      {look.word}
    </span>
  )
}
