// What the list of issues and the page of one share: who works on it, and what can be done.
import { useMutation } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { IssueRow } from '../../../../src/contract/dashboard/issues.ts'
import { ask } from '../../api/client.ts'
import { useBoard } from '../../api/live.ts'
import { queryClient } from '../../api/query-client.ts'
import { statusLook } from '../../session/labels.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Names } from '../../ui/names.tsx'
import { Menu } from '../../ui/overlay/menu.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { isWebAddress } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'

export const CHANGE_ISSUE = 'PATCH /api/projects/:project/issues/:id' as const

export function isOver({ state }: IssueRow): boolean {
  return state === 'closed' || state === 'cancelled'
}

interface ActionProps {
  issue: IssueRow
  canChange: boolean
  onSpawn: () => void
}

export function IssueActions({ issue, canChange, onSpawn }: ActionProps) {
  const [, navigate] = useLocation()
  const change = useIssueChange(issue)
  // Its branch is checked out there: a second session would need another one.
  const atWork = useWorkers(issue).find(({ can }) => can.kill)
  const isGone = isOver(issue)
  const isOurs = issue.url?.includes(`/projects/${issue.projectId}/issues/`) ?? true
  const menu = [
    ...(atWork && !isGone
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
          isGone
            ? {
                label: 'Reopen',
                icon: 'restore' as const,
                does: CHANGE_ISSUE,
                onSelect: () => change.mutate({ state: 'open' }),
              }
            : {
                label: 'Close',
                icon: 'check' as const,
                does: CHANGE_ISSUE,
                onSelect: () => change.mutate({ state: 'closed' }),
              },
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
    <div className="flex items-center gap-1">
      {!isGone && atWork && (
        <Button size="sm" onClick={() => navigate(`/sessions/${encodeURIComponent(atWork.id)}`)}>
          Open {atWork.id}
        </Button>
      )}
      {!isGone && !atWork && (
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
  )
}

/** The board knows of a new session before the list is fetched again. */
function useWorkers(issue: IssueRow): SessionCard[] {
  const board = useBoard()
  return [...(board?.cards.values() ?? [])].filter(
    ({ projectId, issue: of }) => projectId === issue.projectId && of?.id.replace(/^#/, '') === issue.id,
  )
}

export function IssueFacts({ issue }: { issue: IssueRow }) {
  const board = useBoard()
  const workers = useWorkers(issue)
  const ids = [...new Set([...issue.sessionIds, ...workers.map(({ id }) => id)])]
  return (
    <>
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
    </>
  )
}

function wordOf(card: SessionCard | undefined): string {
  return card ? statusLook(card).word : ''
}

interface IssueChange {
  state?: 'open' | 'closed'
  /** To add. */
  labels?: string[]
  removeLabels?: string[]
  comment?: string
}

export function useIssueChange(issue: IssueRow, onDone?: () => void) {
  const params = { project: issue.projectId, id: issue.id }
  return useMutation({
    mutationFn: (body: IssueChange) => ask(CHANGE_ISSUE, { params, body }),
    onSuccess: ({ issue: now }, { state }) => {
      if (state !== undefined)
        toast({ tone: 'good', title: `#${now.id} is ${now.state === 'closed' ? 'closed' : 'open again'}` })
      onDone?.()
      return queryClient.invalidateQueries({ queryKey: ['issues', issue.projectId] })
    },
    onError: (error) =>
      toast({ tone: 'bad', title: `#${issue.id} was not changed: ${error.message}`, detail: hintOf(error) }),
  })
}
