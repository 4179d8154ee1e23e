// One issue: its title, who works on it, its text, and the actions.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { IssueRow } from '../../../../src/contract/dashboard/issues.ts'
import { visibleLine } from '../../../../src/core/text/visible-text.ts'
import { ask } from '../../api/client.ts'
import { useBoard } from '../../api/live.ts'
import { queryClient } from '../../api/query-client.ts'
import { statusLook } from '../../session/labels.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { Names } from '../../ui/names.tsx'
import { Menu } from '../../ui/overlay/menu.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { isWebAddress } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'

interface Props {
  issue: IssueRow
  canChange: boolean
  isSelected: boolean
  startsOpen: boolean
  onSelect: () => void
  onSpawn: () => void
}

const CHANGE = 'PATCH /api/projects/:project/issues/:id' as const

export function IssueItem({ issue, canChange, isSelected, startsOpen, onSelect, onSpawn }: Props) {
  const [open, setOpen] = useState(startsOpen)
  const [, navigate] = useLocation()
  const change = useChange(issue)
  // Its branch is checked out there: a second session would need another one.
  const atWork = useWorkers(issue).find(({ can }) => can.kill)
  const isOver = issue.state === 'closed' || issue.state === 'cancelled'
  const isOurs = issue.url?.includes(`/projects/${issue.projectId}/issues/`) ?? true
  const menu = [
    ...(atWork && !isOver
      ? [
          {
            label: 'Start another session',
            icon: 'play' as const,
            does: 'POST /api/sessions' as const,
            onSelect: onSpawn,
          },
        ]
      : []),
    ...(canChange
      ? [
          isOver
            ? { label: 'Reopen', icon: 'restore' as const, does: CHANGE, onSelect: () => change.mutate('open') }
            : { label: 'Close', icon: 'check' as const, does: CHANGE, onSelect: () => change.mutate('closed') },
        ]
      : []),
    ...(!isOurs && issue.url !== null && isWebAddress(issue.url)
      ? [
          {
            label: 'Open in the tracker',
            icon: 'external' as const,
            onSelect: () => void window.open(issue.url!, '_blank', 'noopener,noreferrer'),
          },
        ]
      : []),
  ]
  return (
    <li ref={startsOpen ? showAtOnce : undefined} className={`px-4 py-2.5 ${isSelected ? 'bg-accent-soft' : ''}`}>
      <div className="flex items-start gap-3">
        {isOver ? (
          <Icon name="check" className="mt-1.5 text-review" />
        ) : (
          <input
            type="checkbox"
            checked={isSelected}
            onChange={onSelect}
            aria-label={`Select #${issue.id} ${visibleLine(issue.title)}`}
            className="mt-1.5 size-4 shrink-0 accent-(--accent)"
          />
        )}
        <div className="min-w-0 flex-1 py-0.5">
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="block w-full text-left hover:underline"
          >
            <span className={`font-medium ${isOver ? 'text-muted' : ''}`}>
              <Visible text={issue.title} />
            </span>{' '}
            <span className="text-sm text-faint">#{issue.id}</span>
          </button>
          <Facts issue={issue} />
        </div>
        <div className="flex items-center gap-1">
          {!isOver && atWork && (
            <Button size="sm" onClick={() => navigate(`/sessions/${encodeURIComponent(atWork.id)}`)}>
              Open {atWork.id}
            </Button>
          )}
          {!isOver && !atWork && (
            <Button
              size="sm"
              icon="play"
              does="POST /api/sessions"
              onClick={onSpawn}
              aria-label={`Start a session on #${issue.id}`}
            >
              Start
            </Button>
          )}
          {menu.length > 0 && <Menu label={`More for #${issue.id}`} size="sm" items={menu} />}
        </div>
      </div>
      {open && (
        <div className="mt-2 rounded-md border bg-surface px-4 py-3 sm:ml-7">
          {issue.description.trim() === '' ? (
            <p className="text-sm text-muted">It has no text.</p>
          ) : (
            <Markdown text={issue.description} />
          )}
        </div>
      )}
    </li>
  )
}

/** Named in the address. */
function showAtOnce(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** The board knows of a new session before the list is fetched again. */
function useWorkers(issue: IssueRow): SessionCard[] {
  const board = useBoard()
  return [...(board?.cards.values() ?? [])].filter(
    ({ projectId, issue: of }) => projectId === issue.projectId && of?.id.replace(/^#/, '') === issue.id,
  )
}

function Facts({ issue }: { issue: IssueRow }) {
  const board = useBoard()
  const workers = useWorkers(issue)
  const ids = [...new Set([...issue.sessionIds, ...workers.map(({ id }) => id)])]
  return (
    <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      {issue.state === 'in_progress' && <Badge tone="live">In progress</Badge>}
      {issue.state === 'closed' && <Badge tone="review">Closed</Badge>}
      {issue.state === 'cancelled' && <Badge>Cancelled</Badge>}
      {ids.map((id) => (
        <Link
          key={id}
          href={`/sessions/${encodeURIComponent(id)}`}
          className="flex items-center gap-1 text-accent hover:underline"
        >
          <Icon name="terminal" className="size-3" />
          <span className="whitespace-nowrap">{id}</span>
          <span className="text-muted">{wordOf(board?.cards.get(id))}</span>
        </Link>
      ))}
      <Names {...issue} />
      {issue.author && (
        <span>
          by <Visible text={issue.author} />
        </span>
      )}
      {issue.createdAt && (
        <span>
          <TimeAgo at={issue.createdAt} />
          <span className="sr-only"> ago</span>
        </span>
      )}
    </div>
  )
}

function wordOf(card: SessionCard | undefined): string {
  return card ? statusLook(card).word : ''
}

function useChange(issue: IssueRow) {
  const params = { project: issue.projectId, id: issue.id }
  return useMutation({
    mutationFn: (state: 'open' | 'closed') => ask(CHANGE, { params, body: { state } }),
    onSuccess: ({ issue: now }) => {
      toast({ tone: 'good', title: `#${now.id} is ${now.state === 'closed' ? 'closed' : 'open again'}` })
      return queryClient.invalidateQueries({ queryKey: ['issues', issue.projectId] })
    },
    onError: (error) =>
      toast({ tone: 'bad', title: `#${issue.id} was not changed: ${error.message}`, detail: hintOf(error) }),
  })
}
