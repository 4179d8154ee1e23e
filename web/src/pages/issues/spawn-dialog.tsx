// With which agent and which further words sessions start on the chosen issues.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { IssueRow, SpawnAnswer } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Select, TextArea } from '../../ui/text-field.tsx'

interface Props {
  projectId: string
  issues: readonly IssueRow[]
  agents: readonly string[]
  defaultAgent: string
  onClose: () => void
  onDone: (answer: SpawnAnswer) => void
}

export function SpawnDialog({ projectId, issues, agents, defaultAgent, onClose, onDone }: Props) {
  const [agent, setAgent] = useState(defaultAgent)
  const [prompt, setPrompt] = useState('')
  const spawn = useMutation({
    mutationFn: () =>
      ask('POST /api/sessions', {
        body: {
          projectId,
          issueIds: issues.map(({ id }) => id),
          ...(agent === defaultAgent ? {} : { agent }),
          ...(prompt.trim() === '' ? {} : { prompt: prompt.trim() }),
        },
      }),
    onSuccess(answer) {
      onDone(answer)
      return queryClient.invalidateQueries({ queryKey: ['issues', projectId] })
    },
  })
  const many = issues.length > 1
  const busy = issues.filter(({ sessionIds }) => sessionIds.length > 0)
  return (
    <Dialog
      title={many ? `Start ${issues.length} sessions` : 'Start a session'}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" icon="play" busy={spawn.isPending} onClick={() => spawn.mutate()}>
            {spawn.isPending ? 'Starting' : 'Start'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ul className="max-h-40 overflow-y-auto rounded-md border text-sm">
          {issues.map(({ id, title }) => (
            <li key={id} className="flex gap-2 border-b px-3 py-1.5 last:border-b-0">
              <span className="text-faint">#{id}</span>
              <span className="min-w-0">{title}</span>
            </li>
          ))}
        </ul>
        {busy.length > 0 && (
          <p className="text-sm text-attention">
            {busy.map(({ id }) => `#${id}`).join(', ')} had a session before; another one starts beside it.
          </p>
        )}
        <Select label="Agent" value={agent} onChange={(event) => setAgent(event.target.value)}>
          {agents.map((name) => (
            <option key={name} value={name}>
              {name === defaultAgent ? `${name} (the project's)` : name}
            </option>
          ))}
        </Select>
        <TextArea
          label="Additional instructions"
          hint={`For ${many ? 'all of them, beside each issue' : 'the agent, beside the issue'}. Optional.`}
          className="min-h-20"
          maxLength={100_000}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
        {spawn.error && (
          <p role="alert" className="text-sm text-bad">
            {spawn.error.message} {hintOf(spawn.error)}
          </p>
        )}
      </div>
    </Dialog>
  )
}
