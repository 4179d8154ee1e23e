// The buttons that open a dialog of settings.
import { Button } from '../../../ui/button.tsx'
import type { Edited } from './dialogs.tsx'

export type Edit = (edited: Edited) => void

export function EditButton({ label, onEdit }: { label: string; onEdit: () => void }) {
  return (
    <Button size="sm" icon="edit" does="POST /api/config" onClick={onEdit} aria-label={label}>
      Edit
    </Button>
  )
}

export function RemoveButton({ path, onEdit }: { path: [string, string]; onEdit: Edit }) {
  return (
    <Button
      size="sm"
      variant="ghost"
      does="POST /api/config"
      onClick={() => onEdit({ what: 'removal', path })}
      aria-label={`Remove ${path[1]}`}
    >
      Remove
    </Button>
  )
}
