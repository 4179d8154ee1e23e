// What can be done with the session, as buttons.
import { useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { KillButton } from '../../session/kill-button.tsx'
import { usePinActions } from '../../session/pins.tsx'
import { RenameDialog } from '../../session/rename-dialog.tsx'
import { ACT_ROUTES, useSessionAct } from '../../session/use-session-act.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, type MenuItem } from '../../ui/overlay/menu.tsx'
import { useMedia } from '../../ui/use-media.ts'

export function SessionActions({ card, isArchived }: { card: SessionCard; isArchived: boolean }) {
  const { act, run } = useSessionAct(card)
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
  const isKilling = asking || act === 'kill'
  return (
    <>
      {(isWide || !isKilling) && <Menu label={`More for ${card.id}`} size="sm" items={menu} />}
      {pinning.dialog}
      {renaming && <RenameDialog card={card} onClose={() => setRenaming(false)} />}
      {can.kill && (isWide || isKilling) && (
        <KillButton busy={act === 'kill'} onKill={() => run('kill')} asking={asking} onAskingChange={setAsking} />
      )}
      {can.start && (
        <Button size="sm" icon="play" does={ACT_ROUTES.start} busy={act === 'start'} onClick={() => run('start')}>
          Start now
        </Button>
      )}
      {can.restore && (
        <Button
          size="sm"
          variant={can.merge ? 'secondary' : 'primary'}
          icon="restore"
          does={ACT_ROUTES.restore}
          busy={act === 'restore'}
          onClick={() => run('restore')}
        >
          {act === 'restore' ? 'Restoring…' : 'Restore'}
        </Button>
      )}
      {can.merge && (
        <Button
          size="sm"
          variant={card.column === 'ready_to_merge' ? 'primary' : 'secondary'}
          icon="merge"
          does={ACT_ROUTES.merge}
          busy={act === 'merge'}
          onClick={() => run('merge')}
        >
          {act === 'merge' ? 'Merging…' : `Merge ${card.pr?.headSha?.slice(0, 7) ?? ''}`}
        </Button>
      )}
    </>
  )
}
