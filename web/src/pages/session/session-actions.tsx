// What can be done with the session, as buttons.
import { useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { KillButton } from '../../session/kill-button.tsx'
import { RenameDialog } from '../../session/rename-dialog.tsx'
import { useSessionAct } from '../../session/use-session-act.ts'
import { Button } from '../../ui/button.tsx'

export function SessionActions({ card, isArchived }: { card: SessionCard; isArchived: boolean }) {
  const { act, run } = useSessionAct(card)
  const { can } = card
  const [renaming, setRenaming] = useState(false)
  return (
    <>
      {!isArchived && (
        <Button size="sm" variant="ghost" icon="edit" onClick={() => setRenaming(true)}>
          Rename
        </Button>
      )}
      {renaming && <RenameDialog card={card} onClose={() => setRenaming(false)} />}
      {can.kill && <KillButton busy={act === 'kill'} onKill={() => run('kill')} />}
      {can.remove && !isArchived && (
        <Button size="sm" variant="ghost" icon="archive" busy={act === 'remove'} onClick={() => run('remove')}>
          Archive
        </Button>
      )}
      {can.restore && (
        <Button
          size="sm"
          variant={can.merge ? 'secondary' : 'primary'}
          icon="restore"
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
          busy={act === 'merge'}
          onClick={() => run('merge')}
        >
          {act === 'merge' ? 'Merging…' : `Merge ${card.pr?.headSha?.slice(0, 7) ?? ''}`}
        </Button>
      )}
    </>
  )
}
