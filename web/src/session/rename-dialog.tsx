// Gives a session a name of the person's own; an empty one means the name of its task.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { ask } from '../api/client.ts'
import { FormDialog } from '../ui/overlay/form-dialog.tsx'
import { TextField } from '../ui/text-field.tsx'

const RENAME = 'POST /api/sessions/:id/rename'

interface Props {
  card: Pick<SessionCard, 'id' | 'title'>
  onClose: () => void
}

export function RenameDialog({ card, onClose }: Props) {
  const [title, setTitle] = useState(card.title)
  const renaming = useMutation({
    mutationFn: () => ask(RENAME, { params: { id: card.id }, body: { title: title.trim() || null } }),
    onSuccess: onClose,
  })
  return (
    <FormDialog title={`Rename ${card.id}`} action="Rename" does={RENAME} runs={renaming} onClose={onClose}>
      <TextField
        label="Name"
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        hint="Empty: it is called after its issue or its prompt."
      />
    </FormDialog>
  )
}
