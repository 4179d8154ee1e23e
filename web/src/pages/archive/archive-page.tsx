// Archived sessions, with their history a click away, and restoring them.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ArchiveAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { STATUS_LOOKS } from '../../session/labels.ts'
import { Page } from '../../shell/page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Command, EmptyState } from '../../ui/empty-state.tsx'
import { toast, toastError } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatCost } from '../../ui/text/format.ts'
import { SafeLink } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { Select, TextField } from '../../ui/text-field.tsx'
import { matches } from './matches.ts'

type Archived = ArchiveAnswer['sessions'][number]

const ORDERS = {
  newest: { name: 'Newest first', compare: (a: Archived, b: Archived) => b.archivedAt.localeCompare(a.archivedAt) },
  cost: { name: 'Most expensive first', compare: (a: Archived, b: Archived) => (b.costUsd ?? 0) - (a.costUsd ?? 0) },
  title: { name: 'By title', compare: (a: Archived, b: Archived) => a.title.localeCompare(b.title) },
}
const ORDER_NAMES = Object.entries(ORDERS).map(([id, { name }]) => [id as keyof typeof ORDERS, name] as const)

export function ArchivePage() {
  const query = useAnswer(['archive'], 'GET /api/archive')
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<keyof typeof ORDERS>('newest')
  return (
    <Page title="Archive" subtitle="Ended sessions. Their history and their work are kept.">
      <Answered query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <EmptyState
              icon="archive"
              title="Nothing is archived yet"
              action={
                <LinkButton icon="list" href="/?view=table">
                  Choose sessions to archive
                </LinkButton>
              }
            >
              Sessions come here one by one, several at once from the table, or all that have ended:{' '}
              <Command>ao session cleanup</Command>
            </EmptyState>
          ) : (
            <div className="flex flex-col gap-3">
              <div className="flex gap-2 *:first:flex-1">
                <TextField
                  label="Filter the archive"
                  hideLabel
                  placeholder="Filter by title, id, branch or project"
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                />
                <Select label="Order of the archive" hideLabel options={ORDER_NAMES} value={order} onPick={setOrder} />
              </div>
              <ArchiveList
                sessions={sessions.filter((session) => matches(session, filter)).toSorted(ORDERS[order].compare)}
              />
            </div>
          )
        }
      </Answered>
    </Page>
  )
}

function ArchiveList({ sessions }: { sessions: Archived[] }) {
  if (sessions.length === 0) return <EmptyState title="No archived session fits the filter" />
  return (
    <Panel>
      <ul className="divide-y">
        {sessions.map((session) => (
          <ArchivedRow key={session.id} session={session} />
        ))}
      </ul>
    </Panel>
  )
}

function ArchivedRow({ session }: { session: Archived }) {
  const look = STATUS_LOOKS[session.status]
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <Link href={`/sessions/${encodeURIComponent(session.id)}`} className="font-medium hover:underline">
          <Visible text={session.title} />
        </Link>
        <div className="flex flex-wrap gap-x-3 text-xs text-muted">
          <span className="font-mono">{session.id}</span>
          <span>{session.projectId}</span>
          <span>{session.agent}</span>
          {session.branch && (
            <span className="font-mono">
              <Visible text={session.branch} />
            </span>
          )}
          {session.prUrl && <SafeLink href={session.prUrl}>pull request</SafeLink>}
        </div>
      </div>
      <span className="sm:w-28">
        <Badge tone={look.tone} icon={look.icon}>
          {look.word}
        </Badge>
      </span>
      <span className="text-xs text-muted tabular-nums sm:w-14 sm:text-right">{formatCost(session.costUsd)}</span>
      <span className="flex-1 text-xs text-muted sm:max-w-32">
        <span className="max-sm:sr-only">archived</span> <TimeAgo at={session.archivedAt} ago />
      </span>
      <RestoreButton session={session} />
    </li>
  )
}

function RestoreButton({ session }: { session: Archived }) {
  const client = useQueryClient()
  const restore = useMutation({
    mutationFn: () => ask('POST /api/sessions/:id/restore', { params: { id: session.id } }),
    onSuccess() {
      toast({ tone: 'good', title: `${session.id} is back`, detail: 'It is on the board again.' })
      void client.invalidateQueries({ queryKey: ['archive'] })
    },
    onError: (error) => toastError(error),
  })
  if (!session.canRestore) return <span className="w-24 text-right text-xs text-faint">finished</span>
  return (
    <Button
      size="sm"
      icon="restore"
      does="POST /api/sessions/:id/restore"
      runs={restore}
      aria-label={`Restore ${session.id}`}
    >
      Restore
    </Button>
  )
}
