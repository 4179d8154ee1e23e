// A form over a few keys of the configuration file: type, review the lines that change, save. A conflict loses nothing.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask } from '../../../api/client.ts'
import { RequestError } from '../../../api/request-error.ts'
import { Button } from '../../../ui/button.tsx'
import { hintOf } from '../../../ui/error-state.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { toast } from '../../../ui/overlay/toast.tsx'
import { ChangeReview, type Preview } from './change-review.tsx'
import { type Change, changesOf, type Draft, readDraft, type SettingsField } from './draft.ts'
import { SettingsForm } from './settings-form.tsx'
import { type ConfigAnswer, useUndo } from './use-config.ts'

interface Props {
  title: string
  file: ConfigAnswer
  fields: readonly SettingsField[]
  /** Made besides what the fields say: a new entry. */
  extra?: readonly Change[]
  /** Above the fields. */
  above?: ReactNode
  onClose: () => void
}

export function EditDialog({ title, file, fields, extra = [], above, onClose }: Props) {
  const { content, configPath } = file
  const [typed, setTyped] = useState<Draft>({})
  const draft = { ...readDraft(content, fields), ...typed }
  const changes = [...extra, ...changesOf(content, fields, draft)]
  const [agreed, setAgreed] = useState<string[]>([])
  const [isReviewing, setReviewing] = useState(false)
  const preview = useMutation({
    mutationFn: () => ask('POST /api/config/preview', { body: { changes } }),
    onSuccess: ({ problems }) => {
      setAgreed([])
      setReviewing(problems.length === 0)
    },
  })
  const save = useSave(changes, onClose)
  const shown = preview.data
  const hasConflict = save.error instanceof RequestError && save.error.code === 'CONFIG_CHANGED'
  const review = () => {
    save.reset()
    preview.mutate()
  }
  return (
    <Dialog
      wide
      title={title}
      onClose={onClose}
      footer={
        isReviewing && shown ? (
          <>
            <Button onClick={() => setReviewing(false)}>Back</Button>
            {hasConflict ? (
              <Button variant="primary" busy={preview.isPending} onClick={review}>
                Review over the newer file
              </Button>
            ) : (
              <Button
                variant="primary"
                data-focus-first
                does="POST /api/config"
                busy={save.isPending}
                disabled={shown.rows.length === 0 || shown.consents.some(({ hash }) => !agreed.includes(hash))}
                onClick={() => save.mutate({ preview: shown, agreed })}
              >
                Save
              </Button>
            )}
          </>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              type="submit"
              form="settings"
              does="POST /api/config/preview"
              busy={preview.isPending}
              disabled={changes.length === 0}
            >
              Review the change
            </Button>
          </>
        )
      }
    >
      {isReviewing && shown ? (
        <ChangeReview preview={shown} configPath={configPath} agreed={agreed} onAgree={setAgreed} />
      ) : (
        <form
          id="settings"
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            review()
          }}
        >
          {above}
          <SettingsForm
            content={content}
            fields={fields}
            draft={draft}
            onChange={setTyped}
            problems={shown?.problems ?? []}
          />
        </form>
      )}
      <Failure error={save.error ?? preview.error} />
    </Dialog>
  )
}

function Failure({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <p role="alert" className="mt-3 text-sm break-words whitespace-pre-line text-bad">
      {error.message} {hintOf(error)}
    </p>
  )
}

function useSave(changes: readonly Change[], onSaved: () => void) {
  const client = useQueryClient()
  const undo = useUndo()
  return useMutation({
    mutationFn: ({ preview, agreed }: { preview: Preview; agreed: string[] }) =>
      ask('POST /api/config', { body: { changes: [...changes], revision: preview.revision, agreed } }),
    onSuccess: () => {
      toast({ tone: 'good', title: 'Saved', detail: 'It is in force in a moment.', undo: () => undo.mutate() })
      onSaved()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['settings'] }),
  })
}
