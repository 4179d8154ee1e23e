// Board or table, and the views that were given a name.
import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { Menu } from '../../../ui/overlay/menu.tsx'
import { toast } from '../../../ui/overlay/toast.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useSavedViews, withoutView, withView } from './saved-views.ts'

export function ViewMenu() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const { views, change } = useSavedViews()
  const [isNaming, setNaming] = useState(false)
  const here = search === '' ? '' : `?${search}`
  const isTable = new URLSearchParams(search).get('view') === 'table'
  const current = views.find((view) => view.search === here)
  const show = (table: boolean) => {
    const params = new URLSearchParams(search)
    if (table) params.set('view', 'table')
    else params.delete('view')
    navigate(params.size === 0 ? '/' : `/?${params}`, { replace: true })
  }
  return (
    <div className="ml-auto flex items-center gap-2">
      <fieldset className="flex rounded-md bg-sunken p-0.5 text-xs">
        <legend className="sr-only">Show the sessions</legend>
        {([false, true] as const).map((table) => (
          <label
            key={String(table)}
            className="flex h-7 cursor-pointer items-center rounded px-2.5 text-muted has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="view"
              className="sr-only"
              checked={isTable === table}
              onChange={() => show(table)}
            />
            {table ? 'Table' : 'Board'}
          </label>
        ))}
      </fieldset>
      <Menu
        label="Saved views"
        icon="filter"
        items={[
          ...views.map(({ name, search: to }) => ({
            label: name === current?.name ? `${name} (shown)` : name,
            onSelect: () => navigate(`/${to}`),
          })),
          { label: 'Save this view…', icon: 'plus', onSelect: () => setNaming(true) },
          ...(current
            ? [
                {
                  label: `Remove “${current.name}”`,
                  icon: 'cross' as const,
                  danger: true,
                  onSelect: () => change(withoutView(views, current.name)),
                },
              ]
            : []),
        ]}
      />
      {isNaming && (
        <NameDialog
          taken={views.map(({ name }) => name)}
          onClose={() => setNaming(false)}
          onName={(name) => {
            const isKept = change(withView(views, { name, search: here }))
            toast(
              isKept
                ? { tone: 'good', title: `Saved as “${name}”` }
                : { tone: 'bad', title: 'This browser keeps nothing', detail: 'Bookmark the address instead.' },
            )
            setNaming(false)
          }}
        />
      )}
    </div>
  )
}

interface NameProps {
  taken: readonly string[]
  onName: (name: string) => void
  onClose: () => void
}

function NameDialog({ taken, onName, onClose }: NameProps) {
  const [name, setName] = useState('')
  const isTaken = taken.includes(name.trim())
  return (
    <FormDialog
      title="Save this view"
      action={isTaken ? 'Replace it' : 'Save'}
      disabled={name.trim() === ''}
      runs={{ isPending: false, mutate: () => onName(name.trim()) }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint={
          isTaken
            ? 'There is a view of this name: it is replaced.'
            : 'Filter, order and table are kept in this browser.'
        }
      />
    </FormDialog>
  )
}
