// Pinned sessions: first in every list but the queue, in folders or in none, the same as in the terminal (`ao session pin`).
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import type { Pin } from '../../../src/contract/dashboard/search.ts'
import { ask } from '../api/client.ts'
import { usePin, usePins } from '../api/live.ts'
import { Icon } from '../ui/icon.tsx'
import { FormDialog } from '../ui/overlay/form-dialog.tsx'
import { Menu, type MenuItem } from '../ui/overlay/menu.tsx'
import { toast, toastError } from '../ui/overlay/toast.tsx'
import { TextField } from '../ui/text-field.tsx'

export const PIN = 'POST /api/sessions/:id/pin'

/** As they were pinned; the others stay in their order. */
export function pinnedFirst<T>(all: readonly T[], pins: readonly Pin[], idOf: (one: T) => string | null): readonly T[] {
  const order = new Map(pins.map(({ session }, index) => [session, index]))
  const rank = (one: T) => order.get(idOf(one) ?? '') ?? pins.length
  return all.some((one) => rank(one) < pins.length) ? all.toSorted((a, b) => rank(a) - rank(b)) : all
}

export function foldersOf(pins: readonly Pin[]): string[] {
  return [...new Set(pins.flatMap(({ folder }) => folder ?? []))].sort()
}

/** Their effect comes back over the stream. */
function usePinning(id: string, onDone: () => void = () => undefined) {
  return useMutation({
    mutationFn: (body: { pinned: boolean; folder?: string | null }) => ask(PIN, { params: { id }, body }),
    onSuccess: (_answer, { pinned, folder }) => {
      toast({ tone: 'good', title: `${id} is ${pinned ? 'pinned' : 'not pinned'}${folder ? ` in ${folder}` : ''}` })
      onDone()
    },
    onError: (error) => toastError(error),
  })
}

interface PinActions {
  isPinned: boolean
  items: MenuItem[]
  toggle: () => void
  dialog: ReactNode
}

export function usePinActions({ id }: Pick<SessionCard, 'id'>): PinActions {
  const pin = usePin(id)
  const { mutate } = usePinning(id)
  const [isChoosing, setChoosing] = useState(false)
  const toggle = () => mutate({ pinned: pin === null })
  return {
    isPinned: pin !== null,
    items: [
      { label: pin === null ? 'Pin' : 'Unpin', icon: 'pin', does: PIN, onSelect: toggle },
      { label: 'Pin in a folder…', icon: 'pin', does: PIN, onSelect: () => setChoosing(true) },
    ],
    toggle,
    dialog: isChoosing && <FolderDialog id={id} folder={pin?.folder ?? ''} onClose={() => setChoosing(false)} />,
  }
}

function FolderDialog({ id, folder, onClose }: { id: string; folder: string; onClose: () => void }) {
  const [name, setName] = useState(folder)
  const folders = foldersOf(usePins())
  const { mutate, isPending } = usePinning(id, onClose)
  return (
    <FormDialog
      title={`Pin ${id}`}
      action="Pin"
      does={PIN}
      runs={{ isPending, mutate: () => mutate({ pinned: true, folder: name.trim() || null }) }}
      onClose={onClose}
    >
      <TextField
        label="Folder"
        maxLength={60}
        list="folders"
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="Letters, digits, _ and -. Empty: in none."
      />
      <datalist id="folders">
        {folders.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </FormDialog>
  )
}

export function PinMenu({ id }: Pick<SessionCard, 'id'>) {
  const { items, dialog } = usePinActions({ id })
  return (
    <>
      <Menu label={`Pin ${id}`} icon="pin" items={items} />
      {dialog}
    </>
  )
}

export function PinMark({ id }: Pick<SessionCard, 'id'>) {
  const pin = usePin(id)
  if (pin === null) return null
  return (
    <span title={pin.folder === null ? 'Pinned' : `Pinned in ${pin.folder}`} className="mr-1 text-accent">
      <Icon name="pin" className="inline size-3 align-[-2px]" />
      <span className="sr-only">Pinned</span>
      {pin.folder !== null && ` ${pin.folder}`}
    </span>
  )
}
