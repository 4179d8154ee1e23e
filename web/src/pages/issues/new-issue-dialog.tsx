// A new issue in the project's tracker. Typed text survives a reload.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'

const CREATE = 'POST /api/projects/:project/issues'

interface Draft {
  title: string
  description: string
  labels: string
}

const NOTHING: Draft = { title: '', description: '', labels: '' }

export function NewIssueDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const key = `ao.new-issue.${projectId}`
  const [draft, setDraft] = useState<Draft>(() => readDraft(key))
  const set = (more: Partial<Draft>) => {
    const next = { ...draft, ...more }
    setDraft(next)
    sessionStorage.setItem(key, JSON.stringify(next))
  }
  const create = useMutation({
    mutationFn: () =>
      ask(CREATE, {
        params: { project: projectId },
        body: { title: draft.title.trim(), description: draft.description, labels: readLabels(draft.labels) },
      }),
    onSuccess({ issue }) {
      sessionStorage.removeItem(key)
      toast({ tone: 'good', title: `#${issue.id} ${issue.title}`, detail: 'The issue was created.' })
      onClose()
      return queryClient.invalidateQueries({ queryKey: ['issues', projectId] })
    },
  })
  return (
    <FormDialog title="New issue" action="Create it" does={CREATE} runs={create} onClose={onClose}>
      <TextField
        label="Title"
        required
        maxLength={500}
        autoFocus
        value={draft.title}
        onChange={(event) => set({ title: event.target.value })}
      />
      <TextArea
        label="Text"
        hint="What the agent should know: the goal, where to look, how to tell that it is done."
        className="min-h-36"
        maxLength={100_000}
        value={draft.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <TextField
        label="Labels"
        hint="Separated by commas. Optional."
        value={draft.labels}
        onChange={(event) => set({ labels: event.target.value })}
      />
    </FormDialog>
  )
}

function readLabels(text: string): string[] {
  return text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')
    .slice(0, 20)
}

function readDraft(key: string): Draft {
  try {
    return { ...NOTHING, ...(JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Draft>) }
  } catch {
    // Not ours: start empty.
    return NOTHING
  }
}
