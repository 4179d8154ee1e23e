// Starts a session: a project, what to do, and optionally which agent.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Board } from '../../../../src/contract/dashboard/cards.ts'
import { ask } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { Select, TextArea } from '../../ui/text-field.tsx'

interface Props {
  projects: Board['projects']
  onClose: () => void
}

export function SpawnDialog({ projects, onClose }: Props) {
  const [, navigate] = useLocation()
  const [projectId, setProjectId] = useState(projects[0]?.id ?? '')
  const [issueId, setIssueId] = useState('')
  const [prompt, setPrompt] = useState('')
  const [agent, setAgent] = useState('')
  const offers = useQuery({
    queryKey: ['issues', projectId, 'open'],
    queryFn: ({ signal }) =>
      ask('GET /api/projects/:project/issues', { params: { project: projectId }, query: { state: 'open' }, signal }),
    enabled: projectId !== '',
  })
  const spawn = useMutation({
    mutationFn: () =>
      ask('POST /api/sessions', {
        body: {
          projectId,
          ...(issueId !== '' && { issueIds: [issueId] }),
          ...(prompt.trim() !== '' && { prompt: prompt.trim() }),
          ...(agent !== '' && { agent }),
        },
      }),
    onSuccess: ({ spawned, failed }) => {
      const [first] = spawned
      if (!first) return
      for (const { message } of failed) toast({ tone: 'bad', title: 'A session could not be started', detail: message })
      onClose()
      toast({ tone: 'good', title: `Started ${first.sessionId}` })
      navigate(`/sessions/${first.sessionId}`)
    },
  })
  const refused = spawn.data?.spawned.length === 0 ? spawn.data.failed[0] : undefined
  const problem = spawn.error
    ? [spawn.error.message, hintOf(spawn.error)]
    : refused
      ? [refused.message, refused.hint]
      : []
  const nothingToDo = prompt.trim() === '' && issueId === ''
  return (
    <Dialog
      title="Spawn a session"
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            icon="play"
            busy={spawn.isPending}
            disabled={nothingToDo || projectId === ''}
            onClick={() => spawn.mutate()}
          >
            {spawn.isPending ? 'Starting…' : 'Spawn'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Select label="Project" value={projectId} onChange={(event) => setProjectId(event.target.value)}>
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
          <Select label="Agent" value={agent} onChange={(event) => setAgent(event.target.value)}>
            <option value="">{offers.data ? `Default (${offers.data.defaultAgent})` : 'Default'}</option>
            {offers.data?.agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </div>
        {(offers.data?.issues.length ?? 0) > 0 && (
          <Select label="Issue" value={issueId} onChange={(event) => setIssueId(event.target.value)}>
            <option value="">None, only what I write below</option>
            {offers.data?.issues.map(({ id, title }) => (
              <option key={id} value={id}>
                {id}: {title}
              </option>
            ))}
          </Select>
        )}
        <TextArea
          label={issueId === '' ? 'What is to be done' : 'What else it should know'}
          data-focus-first
          rows={5}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !nothingToDo) spawn.mutate()
          }}
          error={problem.filter(Boolean).join(' ') || null}
        />
      </div>
    </Dialog>
  )
}
