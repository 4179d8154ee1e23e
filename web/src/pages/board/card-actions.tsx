// The actions of a card: the likely one as a button, the rest in a menu.
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { RouteName } from '../../api/client.ts'
import { useRefusal } from '../../api/may.ts'
import { ActButton, KillButton } from '../../session/act-button.tsx'
import { NeedActions } from '../../session/need-view.tsx'
import { openLetter } from '../../session/outbox.ts'
import { PIN, usePinActions } from '../../session/pins.tsx'
import { ACT_ROUTES, type Acting } from '../../session/use-session-act.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Menu, type MenuItem } from '../../ui/overlay/menu.tsx'

interface Props {
  card: SessionCard
  /** It waits for the person. */
  need: SessionCard['need']
  acting: Acting
  asking: boolean
  onAskingChange: (asking: boolean) => void
}

export function CardActions({ card, need, acting, asking, onAskingChange }: Props) {
  const { can } = card
  return (
    <div className="flex flex-wrap items-center gap-1.5 empty:hidden">
      {can.merge && <ActButton act="merge" acting={acting} variant="primary" />}
      {card.status === 'review_pending' && card.pr?.number && (
        <LinkButton
          size="sm"
          icon="eye"
          href={`/projects/${encodeURIComponent(card.projectId)}/pull/${card.pr.number}?tab=files`}
        >
          Review
        </LinkButton>
      )}
      {need && <NeedActions card={card} need={need} acting={acting} />}
      {can.restore && !need?.acts.some((one) => one === 'restore' || one === 'raise') && (
        <ActButton act="restore" acting={acting} />
      )}
      {(asking || acting.act === 'kill') && (
        <KillButton acting={acting} asking={asking} onAskingChange={onAskingChange} />
      )}
    </div>
  )
}

interface MenuProps {
  card: SessionCard
  acting: Acting
  onKill: () => void
  onRename: () => void
}

export function CardMenu({ card, acting: { run }, onKill, onRename }: MenuProps) {
  const { can } = card
  const pinning = usePinActions(card)
  const items: MenuItem[] = []
  if (can.start) items.push({ label: 'Start now', icon: 'play', does: ACT_ROUTES.start, onSelect: () => run('start') })
  if (can.send)
    items.push({
      label: 'Send a message',
      icon: 'send',
      does: 'POST /api/sessions/:id/send',
      onSelect: () => openLetter(card.id),
    })
  if (card.snoozedUntil)
    items.push({ label: 'Back into the queue', icon: 'clock', does: ACT_ROUTES.wake, onSelect: () => run('wake') })
  items.push(...pinning.items)
  items.push({ label: 'Rename…', icon: 'edit', does: 'POST /api/sessions/:id/rename', onSelect: onRename })
  if (can.kill) items.push({ label: 'Kill…', icon: 'stop', danger: true, does: ACT_ROUTES.kill, onSelect: onKill })
  if (can.remove)
    items.push({
      label: 'Move to the archive',
      icon: 'archive',
      does: ACT_ROUTES.remove,
      onSelect: () => run('remove'),
    })
  return (
    <>
      {/* For the board's keyboard shortcuts, which click a card's buttons. */}
      {can.kill && <HiddenButton act="kill" does={ACT_ROUTES.kill} onClick={onKill} />}
      {can.send && <HiddenButton act="send" does="POST /api/sessions/:id/send" onClick={() => openLetter(card.id)} />}
      <HiddenButton act="pin" does={PIN} onClick={pinning.toggle} />
      <Menu label={`More for ${card.id}`} size="sm" items={items} />
      {pinning.dialog}
    </>
  )
}

function HiddenButton({ act, does, onClick }: { act: string; does: RouteName; onClick: () => void }) {
  const refusal = useRefusal(does)
  return <button type="button" hidden data-act={act} data-does={does} disabled={refusal !== null} onClick={onClick} />
}
