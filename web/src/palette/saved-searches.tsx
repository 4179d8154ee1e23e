// Saved searches, the same as in the terminal (`ao search --save`): `@name` in the palette searches for what was saved under it.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { useAnswer } from '../api/answered.tsx'
import { ask } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/overlay/form-dialog.tsx'
import { toast, toastError } from '../ui/overlay/toast.tsx'
import { TextField } from '../ui/text-field.tsx'
import type { Entry } from './rank-entries.ts'

const SAVE = 'POST /api/searches/:name'
const KEY = ['saved']

/** The terminal changes them too: they are asked for whenever the palette opens. */
function useSaved() {
  return useAnswer(KEY, 'GET /api/saved', {}, { staleTime: 0 }).data
}

function keep(name: string, query: string | null): Promise<unknown> {
  const saving = ask(SAVE, { params: { name }, body: { query } })
  return saving.then((answer) => queryClient.setQueryData(KEY, answer))
}

/** As entries of the palette, and what is under the name that is typed. */
export function useSavedSearches(typed: string, onUse: (query: string) => void) {
  const data = useSaved()
  const queries = data?.queries ?? []
  const named = queries.find(({ name }) => typed.trim() === `@${name}`) ?? null
  const entries = queries.map(
    ({ name, query }): Entry => ({
      id: `saved ${name}`,
      label: `@${name} ${visibleLine(query)}`,
      kind: 'Saved search',
      icon: 'search',
      onSelect: () => onUse(`@${name} `),
    }),
  )
  return { named, entries: named ? [] : entries }
}

/** What can be done with the search that is typed: save it, or forget the saved one that it names. */
export function SearchActs({ typed, onSave, onForgot }: { typed: string; onSave: () => void; onForgot: () => void }) {
  const { named } = useSavedSearches(typed, () => undefined)
  if (typed.trim() === '') return null
  return (
    <div className="flex items-center justify-end gap-2 border-t px-2 py-1.5">
      {named ? (
        <Button size="sm" variant="ghost" icon="cross" does={SAVE} onClick={() => forget(named.name, onForgot)}>
          Forget @{named.name}
        </Button>
      ) : (
        <Button size="sm" variant="ghost" icon="plus" does={SAVE} onClick={onSave}>
          Save this search…
        </Button>
      )}
    </div>
  )
}

function forget(name: string, onDone: () => void): void {
  keep(name, null).then(
    () => {
      toast({ tone: 'good', title: `Forgot @${name}` })
      onDone()
    },
    (error: Error) => toastError(error),
  )
}

export function SaveSearchDialog({ query, onClose }: { query: string; onClose: () => void }) {
  const [name, setName] = useState('')
  const data = useSaved()
  const isTaken = data?.queries.some((one) => one.name === name.trim()) ?? false
  const saving = useMutation({
    mutationFn: () => keep(name.trim(), query),
    onSuccess: () => {
      toast({ tone: 'good', title: `Saved as @${name.trim()}` })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Save this search"
      action={isTaken ? 'Replace it' : 'Save'}
      does={SAVE}
      runs={saving}
      disabled={name.trim() === ''}
      onClose={onClose}
    >
      <p className="truncate font-mono text-sm">{visibleLine(query)}</p>
      <TextField
        label="Name"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint={isTaken ? 'There is a search of this name: it is replaced.' : 'Letters, digits, _ and -.'}
      />
    </FormDialog>
  )
}
