// Gives a session a name of the person's own; an empty one means the name of its task.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { ask } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { TextField } from '../ui/text-field.tsx'

interface Props {
  card: Pick<SessionCard, 'id' | 'title'>
  onClose: () => void
}

export function RenameDialog({ card, onClose }: Props) {
  const [title, setTitle] = useState(card.title)
  const renaming = useMutation({
    mutationFn: () =>
      ask('POST /api/sessions/:id/rename', { params: { id: card.id }, body: { title: title.trim() || null } }),
    onSuccess: onClose,
  })
  return (
    <Dialog
      title={`Rename ${card.id}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form="rename"
            does="POST /api/sessions/:id/rename"
            busy={renaming.isPending}
          >
            Rename
          </Button>
        </>
      }
    >
      <form
        id="rename"
        onSubmit={(event) => {
          event.preventDefault()
          renaming.mutate()
        }}
      >
        <TextField
          label="Name"
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          hint="Empty: it is called after its issue or its prompt."
          error={renaming.error?.message ?? null}
        />
      </form>
    </Dialog>
  )
}
