// The way to the orchestrator of a project: starts it, or goes to the running one. With several projects it asks for which.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Board } from '../../../src/contract/dashboard/cards.ts'
import { ask } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { hintOf } from '../ui/error-state.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { toast } from '../ui/overlay/toast.tsx'

export function OrchestratorButton({ projects }: { projects: Board['projects'] }) {
  const [asking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const starting = useMutation({
    mutationFn: (project: string) => ask('POST /api/projects/:project/orchestrator', { params: { project }, body: {} }),
    onSuccess: ({ sessionId }) => navigate(`/sessions/${encodeURIComponent(sessionId)}`),
    onError: (error) => toast({ tone: 'bad', title: error.message, detail: hintOf(error) }),
  })
  const [first, ...others] = projects
  if (first === undefined) return null
  return (
    <>
      <Button
        icon="robot"
        does="POST /api/projects/:project/orchestrator"
        busy={starting.isPending}
        title="The agent that starts, watches and guides the others"
        onClick={() => (others.length === 0 ? starting.mutate(first.id) : setAsking(true))}
      >
        Orchestrator
      </Button>
      {asking && (
        <Dialog title="Orchestrator of which project?" onClose={() => setAsking(false)}>
          <ul className="flex flex-col gap-2">
            {projects.map(({ id, name }) => (
              <li key={id}>
                <Button
                  className="w-full"
                  does="POST /api/projects/:project/orchestrator"
                  onClick={() => {
                    setAsking(false)
                    starting.mutate(id)
                  }}
                >
                  {name}
                </Button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  )
}
