// What can be done with a card: the likely thing as a button, the rest behind a menu.
import { useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { KillButton } from '../../session/kill-button.tsx'
import { openLetter, useLetter } from '../../session/outbox.ts'
import { useSessionAct } from '../../session/use-session-act.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'

export function CardActions({ card }: { card: SessionCard }) {
  const { act, run } = useSessionAct(card)
  const [asking, setAsking] = useState(false)
  const letter = useLetter(card.id)
  const { can } = card
  const calls = card.column === 'needs_you'
  const more: MenuItem[] = []
  if (can.send && !calls) more.push({ label: 'Send a message', icon: 'send', onSelect: () => openLetter(card.id) })
  if (can.kill) more.push({ label: 'Kill…', icon: 'stop', danger: true, onSelect: () => setAsking(true) })
  if (can.remove) more.push({ label: 'Move to the archive', icon: 'archive', onSelect: () => run('remove') })
  if (!can.merge && !can.restore && !can.send && more.length === 0) return null
  return (
    <div className="-mx-1 flex flex-wrap items-center gap-1.5 empty:hidden">
      {can.merge && (
        <Button
          variant="primary"
          size="sm"
          icon="merge"
          data-act="merge"
          busy={act === 'merge'}
          onClick={() => run('merge')}
        >
          {act === 'merge' ? 'Merging…' : 'Merge'}
        </Button>
      )}
      {can.send && calls && !letter.open && (
        <Button
          variant={card.permissions.length > 0 ? 'secondary' : 'primary'}
          size="sm"
          icon="reply"
          data-act="send"
          onClick={() => openLetter(card.id)}
        >
          Answer
        </Button>
      )}
      {can.restore && (
        <Button size="sm" icon="restore" data-act="restore" busy={act === 'restore'} onClick={() => run('restore')}>
          {act === 'restore' ? 'Restoring…' : 'Restore'}
        </Button>
      )}
      {(asking || act === 'kill') && (
        <KillButton busy={act === 'kill'} onKill={() => run('kill')} asking={asking} onAskingChange={setAsking} />
      )}
      {/* For the keys of the board, which press what is there. */}
      {can.kill && <button type="button" hidden data-act="kill" onClick={() => setAsking(true)} />}
      {can.send && !calls && <button type="button" hidden data-act="send" onClick={() => openLetter(card.id)} />}
      {more.length > 0 && (
        <span className="ml-auto">
          <Menu label={`More for ${card.id}`} size="sm" items={more} />
        </span>
      )}
    </div>
  )
}
