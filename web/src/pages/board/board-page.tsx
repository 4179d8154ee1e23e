// The board: who needs you, and what you can do about it.

import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Board } from '../../../../src/contract/dashboard/cards.ts'
import { UNREADABLE_NOTICE } from '../../../../src/contract/dashboard/columns.ts'
import { type Spent, sumSpent } from '../../../../src/core/status/spent.ts'
import type { BoardState } from '../../api/board-store.ts'
import { ask } from '../../api/client.ts'
import { useBoard, useConnection } from '../../api/live.ts'
import { NO_LINE_YET, Page } from '../../shell/page.tsx'
import { SpawnDialog } from '../../spawn/spawn-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Command, EmptyState } from '../../ui/empty-state.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { toast, toastError } from '../../ui/overlay/toast.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { formatCost } from '../../ui/text/format.ts'
import { type BoardFilter, readFilter, writeFilter } from './board-filter.ts'
import { FullBoard } from './full-board.tsx'
import { useBoardKeys } from './use-board-keys.ts'

export function BoardPage() {
  const board = useBoard()
  const [, navigate] = useLocation()
  const search = useSearch()
  const filter = useMemo(() => readFilter(search), [search])
  const [spawning, setSpawning] = useState(false)
  const isRequested = new URLSearchParams(search).has('spawn')
  useEffect(() => {
    if (!isRequested) return
    setSpawning(true)
    navigate('/', { replace: true })
  }, [isRequested, navigate])
  useBoardKeys({ onSpawn: () => setSpawning(true) })
  return (
    <Page
      title="Board"
      subtitle={board ? <Summary board={board} /> : NO_LINE_YET}
      actions={
        <>
          {board ? (
            <OrchestratorButton projects={board.projects} />
          ) : (
            // Its room is kept: nothing below moves when it comes.
            <Button icon="robot" className="invisible">
              Orchestrator
            </Button>
          )}
          <Button
            variant="primary"
            icon="plus"
            does="POST /api/sessions"
            onClick={() => setSpawning(true)}
            disabled={!board}
          >
            Spawn
          </Button>
        </>
      }
    >
      {board ? (
        <BoardBody
          board={board}
          filter={filter}
          search={search}
          onFilter={(next) => navigate(`/${writeFilter(search, next)}`, { replace: true })}
          onSpawn={() => setSpawning(true)}
        />
      ) : (
        <NotYet />
      )}
      {spawning && board && (
        <SpawnDialog
          projects={board.projects}
          onClose={() => setSpawning(false)}
          onDone={({ spawned: [first] }) => {
            setSpawning(false)
            if (!first) return
            toast({ tone: 'good', title: `Started ${first.sessionId}` })
            navigate(`/sessions/${encodeURIComponent(first.sessionId)}`)
          }}
        />
      )}
    </Page>
  )
}

function Summary({ board }: { board: BoardState }) {
  const cards = [...board.cards.values()]
  const needing = board.columns.needs_you.length
  // One that ended on its own needs somebody, and is not running.
  const running = cards.filter(({ can, waits }) => !can.remove && waits === null).length
  const toReview = cards.filter(({ column, need }) => need !== null && column !== 'needs_you').length
  const { costUsd } = spentOn(board)
  return (
    <>
      {needing === 0 ? 'Nobody needs you' : needing === 1 ? '1 needs you' : `${needing} need you`}
      {/* The queue counts these too. */}
      {toReview > 0 && ` · ${toReview} to review or merge`}
      {' · '}
      {running === 1 ? '1 session running' : `${running} sessions running`}
      {costUsd !== null && costUsd > 0 && ` · ${formatCost(costUsd)} so far`}
    </>
  )
}

/** By all sessions, also by ended ones that are not here. */
function spentOn(board: BoardState): Spent {
  const open = [...board.cards.values()].filter(({ column }) => column !== 'done')
  return sumSpent([...open.map(({ spent }) => spent), board.ended.spent])
}

function NotYet() {
  const connection = useConnection()
  if (connection.state === 'connecting' || connection.state === 'live') return <Skeleton label="Reading the sessions" />
  if (connection.state === 'refused') {
    return (
      <EmptyState icon="hand" title={connection.why}>
        {connection.hint}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="offline" title="Nothing to show yet">
      The board appears as soon as the server answers.
    </EmptyState>
  )
}

interface BodyProps {
  board: BoardState
  filter: BoardFilter
  search: string
  onFilter: (filter: BoardFilter) => void
  onSpawn: () => void
}

function BoardBody({ board, filter, search, onFilter, onSpawn }: BodyProps) {
  if (board.cards.size === 0 && board.notices.some(({ id }) => id === UNREADABLE_NOTICE)) {
    return <EmptyState icon="warning" title="The sessions could not be read" />
  }
  if (board.cards.size === 0) {
    return (
      <EmptyState
        icon="robot"
        title="No sessions yet"
        action={
          <Button variant="primary" icon="plus" does="POST /api/sessions" onClick={onSpawn}>
            Spawn the first one
          </Button>
        }
      >
        Each session is one agent with a branch of its own. From a terminal: <Command>ao spawn 1</Command> starts one on
        issue 1.
      </EmptyState>
    )
  }
  return <FullBoard board={board} filter={filter} search={search} onFilter={onFilter} />
}

/**
 * The way to the orchestrator of a project: starts it, or goes to the running one. With several projects it asks for which.
 */
function OrchestratorButton({ projects }: { projects: Board['projects'] }) {
  const [asking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const starting = useMutation({
    mutationFn: (project: string) => ask('POST /api/projects/:project/orchestrator', { params: { project }, body: {} }),
    onSuccess: ({ sessionId }) => navigate(`/sessions/${encodeURIComponent(sessionId)}`),
    onError: (error) => toastError(error),
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
