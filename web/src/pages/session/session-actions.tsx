// What can be done with the session, as buttons.
import { useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { ActButton, KillButton } from '../../session/act-button.tsx'
import { usePinActions } from '../../session/pins.tsx'
import { RenameDialog } from '../../session/rename-dialog.tsx'
import { ACT_ROUTES, useSessionAct } from '../../session/use-session-act.ts'
import { Menu, type MenuItem } from '../../ui/overlay/menu.tsx'
import { useMedia } from '../../ui/use-media.ts'

export function SessionActions({ card, isArchived }: { card: SessionCard; isArchived: boolean }) {
  const acting = useSessionAct(card)
  const { act, run } = acting
  const { can } = card
  const pinning = usePinActions(card)
  const [renaming, setRenaming] = useState(false)
  const [asking, setAsking] = useState(false)
  // On a phone the room is for the session itself.
  const isWide = useMedia('(min-width: 640px)')
  const menu: MenuItem[] = pinning.items
  if (!isArchived)
    menu.push({
      label: 'Rename…',
      icon: 'edit',
      does: 'POST /api/sessions/:id/rename',
      onSelect: () => setRenaming(true),
    })
  if (can.remove && !isArchived)
    menu.push({ label: 'Archive', icon: 'archive', does: ACT_ROUTES.remove, onSelect: () => run('remove') })
  if (can.kill && !isWide)
    menu.push({ label: 'Kill…', icon: 'stop', danger: true, does: ACT_ROUTES.kill, onSelect: () => setAsking(true) })
  const isInBanner =
    card.column === 'needs_you' && card.need?.acts.some((one) => one === 'restore' || one === 'raise') === true
  const isKilling = asking || act === 'kill'
  return (
    <>
      {(isWide || !isKilling) && <Menu label={`More for ${card.id}`} size="sm" items={menu} />}
      {pinning.dialog}
      {renaming && <RenameDialog card={card} onClose={() => setRenaming(false)} />}
      {can.kill && (isWide || isKilling) && <KillButton acting={acting} asking={asking} onAskingChange={setAsking} />}
      {can.start && <ActButton act="start" acting={acting} />}
      {can.restore && !isInBanner && (
        <ActButton act="restore" acting={acting} variant={can.merge ? 'secondary' : 'primary'} />
      )}
      {can.merge && (
        <ActButton
          act="merge"
          acting={acting}
          variant={card.column === 'ready_to_merge' ? 'primary' : 'secondary'}
          what={card.pr?.headSha?.slice(0, 7)}
        />
      )}
    </>
  )
}
