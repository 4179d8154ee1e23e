// A session on the board. The title's link covers the card; buttons are above it.
import { memo, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { visibleLine } from '../../../../src/core/text/visible-text.ts'
import { useCard } from '../../api/live.ts'
import { Activity, CardPulls, StatusBadge, TaskWord } from '../../session/badges.tsx'
import { ChangedChecks, Findings, RiskFact } from '../../session/changed-checks.tsx'
import { COLUMN_LOOKS } from '../../session/labels.ts'
import { MessageComposer, ReceiptLine } from '../../session/message-composer.tsx'
import { LimitWait, SpentFact } from '../../session/money.tsx'
import { Matter, NeedBadge } from '../../session/need-view.tsx'
import { useLetter } from '../../session/outbox.ts'
import { PermissionList } from '../../session/permission-list.tsx'
import { PinMark } from '../../session/pins.tsx'
import { RenameDialog } from '../../session/rename-dialog.tsx'
import { useKeepFocus } from '../../session/use-keep-focus.ts'
import { useSessionAct } from '../../session/use-session-act.ts'
import { useGuarded } from '../../steady/guarded.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { CardActions, CardMenu } from './card-actions.tsx'

interface Props {
  card: SessionCard
  /** It has left this list and is shown a moment longer: nothing on it can be clicked. */
  isGone: boolean
}

/** Grey, and not faint: for two seconds it says where it went. */
export const GONE = 'pointer-events-none border-dashed bg-canvas grayscale'

/** Its height is a guess until it is seen; one that asks must not move when it is. */
const UNDRAWN_OUT_OF_SIGHT = '[contain-intrinsic-size:auto_150px] [content-visibility:auto]'

export const BoardCard = memo(function BoardCard({ card, isGone }: Props) {
  const article = useRef<HTMLElement>(null)
  useGuarded(article)
  useKeepFocus(article, card.id)
  const letter = useLetter(card.id)
  const acting = useSessionAct(card)
  const [asking, setAsking] = useState(false)
  const [renaming, setRenaming] = useState(false)
  const calls = card.column === 'needs_you'
  const calling = calls ? card.need : null
  return (
    <article
      ref={article}
      data-card={card.id}
      data-gone={isGone || undefined}
      className={`${isGone ? GONE : 'bg-surface shadow-card'} group/card relative flex shrink-0 flex-col gap-2 rounded-lg border p-3 transition-colors hover:border-line-strong has-[[data-open]:focus-visible]:outline-2 has-[[data-open]:focus-visible]:outline-accent ${calls ? 'border-l-2 border-l-attention!' : UNDRAWN_OUT_OF_SIGHT}`}
    >
      <div className="@container/head flex items-center justify-between gap-1">
        {/* In a narrow column the word is worth more than its icon and its age, which wraps out of sight. */}
        <span className="flex max-h-5.5 min-w-0 flex-1 flex-wrap content-start items-center justify-between gap-x-1 overflow-hidden">
          <span className="flex min-w-0 max-w-full gap-1 *:max-w-full @max-[12rem]/head:[&_svg]:hidden @max-[8.5rem]/head:*:px-0.5 @max-[8.5rem]/head:*:text-2xs">
            {isGone ? <WhereTo card={card} /> : calling ? <NeedBadge need={calling} /> : <StatusBadge card={card} />}
            {card.snoozedUntil && !calling && <Badge icon="clock">Snoozed</Badge>}
          </span>
          <TimeAgo at={calling?.since ?? card.statusSince} className="text-xs whitespace-nowrap text-faint" />
        </span>
        <span className="relative z-10 -my-1 -mr-1.5 flex shrink-0 items-center gap-0.5">
          <CardMenu card={card} acting={acting} onKill={() => setAsking(true)} onRename={() => setRenaming(true)} />
        </span>
      </div>
      {calling && <Matter need={calling} whole={letter.open} />}
      <h3 className={`line-clamp-2 text-sm leading-snug ${calling ? 'text-muted' : 'font-medium'}`}>
        <Link
          href={`/sessions/${card.id}`}
          data-open
          className="outline-none after:absolute after:inset-0 after:rounded-lg"
        >
          <span title={visibleLine(card.title)}>
            <Visible text={card.title} />
          </span>
        </Link>
      </h3>
      <Facts card={card} isLine={calling !== null} />
      {card.lastMessage && card.column !== 'done' && !calling && (
        <blockquote className="line-clamp-3 border-l-2 pl-2 text-xs text-muted">
          <Visible text={card.lastMessage} lines />
        </blockquote>
      )}
      <div className="relative z-10 flex flex-col gap-2 empty:hidden">
        <PermissionList sessionId={card.id} requests={card.permissions} isGone={isGone} />
        {letter.open && (
          <MessageComposer sessionId={card.id} label={calls ? `Answer ${card.id}` : `Message to ${card.id}`} />
        )}
        <ReceiptLine sessionId={card.id} />
        <CardActions card={card} need={calling} acting={acting} asking={asking} onAskingChange={setAsking} />
      </div>
      {renaming && <RenameDialog card={card} onClose={() => setRenaming(false)} />}
    </article>
  )
})

/** Where a card that has left its list is now. */
function WhereTo({ card }: { card: SessionCard }) {
  const now = useCard(card.id)
  return <Badge>{now ? `Now in ${COLUMN_LOOKS[now.column].word}` : 'Archived'}</Badge>
}

/** In one line where the matter is what counts. */
function Facts({ card, isLine }: { card: SessionCard; isLine: boolean }) {
  return (
    <div className={`flex text-xs text-muted ${isLine ? 'flex-wrap gap-x-3 gap-y-0.5' : 'flex-col gap-1'}`}>
      <div className="truncate">
        <PinMark id={card.id} />
        {card.id}
        <TaskWord task={card.task} /> · {card.agent}
        {card.account !== null && ` (${card.account})`} · {card.projectId}
        {card.place !== null && ` · in ${card.place}`}
        {card.role !== 'worker' && ` · ${card.role}`}
      </div>
      {card.branch && (
        <span className="flex min-w-0 items-center gap-1" title={visibleLine(card.branch)}>
          <Icon name="branch" className="size-3 text-faint" />
          <span className="truncate font-mono text-2xs">
            <Visible text={card.branch} />
          </span>
        </span>
      )}
      {card.waits !== null && (
        <span className="flex min-w-0 items-center gap-1">
          <Icon name="clock" className="size-3 shrink-0 text-faint" />
          <span className="line-clamp-2 min-w-0 break-words">
            <Visible text={card.waits} />
          </span>
        </span>
      )}
      <CardPulls card={card} />
      <Meetings meets={card.meets} />
      <RiskFact risk={card.risk} />
      <ChangedChecks paths={card.changedChecks} />
      <Findings findings={card.findings} />
      <div className="flex flex-wrap items-center gap-x-2.5 text-faint empty:hidden">
        {/* That it waits is what its need says. */}
        {(card.column !== 'done' || card.paused) && !(isLine && card.activity === 'waiting_input' && !card.paused) && (
          <Activity card={card} />
        )}
        <SpentFact card={card} />
        <LimitWait card={card} />
      </div>
    </div>
  )
}

/** Other live branches that change the same files. */
function Meetings({ meets }: { meets: SessionCard['meets'] }) {
  return meets.slice(0, 2).map(({ with: other, path, files, conflict, fails }) => (
    <span
      key={other}
      title={
        conflict
          ? 'git cannot merge the two'
          : fails === null
            ? 'They change the same files and merge cleanly'
            : 'git merges the two, and this fails with both although it passes with each'
      }
      className={`flex min-w-0 items-center gap-1 ${conflict || fails !== null ? 'text-bad' : ''}`}
    >
      <Icon name={conflict || fails !== null ? 'warning' : 'radar'} className="size-3 shrink-0" />
      <span className="truncate">
        {conflict ? 'conflicts with' : fails === null ? 'meets' : 'fails together with'} {other}
        {fails === null ? ' in ' : ': '}
        <Visible text={fails ?? path} />
        {files > 1 && ` and ${files - 1} more`}
      </span>
    </span>
  ))
}
