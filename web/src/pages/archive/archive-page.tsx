// Archived sessions, with their history a click away, and restoring them.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ArchiveAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { Page } from '../../shell/page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Command, EmptyState } from '../../ui/empty-state.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SafeLink } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { matches } from './matches.ts'

type Archived = ArchiveAnswer['sessions'][number]

export function ArchivePage() {
  const query = useAnswer(['archive'], 'GET /api/archive')
  const [filter, setFilter] = useState('')
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
              <TextField
                label="Filter the archive"
                hideLabel
                placeholder="Filter by title, id, branch or project"
                value={filter}
                onChange={(event) => setFilter(event.target.value)}
              />
              <ArchiveList sessions={sessions.filter((session) => matches(session, filter))} />
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
      <Badge tone={session.status === 'merged' ? 'good' : 'neutral'}>{session.status}</Badge>
      <span className="text-xs text-muted">
        archived <TimeAgo at={session.archivedAt} ago />
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
    onError: (error) => toast({ tone: 'bad', title: error.message, detail: hintOf(error) }),
  })
  if (!session.canRestore) return <span className="w-24 text-right text-xs text-faint">finished</span>
  return (
    <Button
      size="sm"
      icon="restore"
      does="POST /api/sessions/:id/restore"
      busy={restore.isPending}
      onClick={() => restore.mutate()}
      aria-label={`Restore ${session.id}`}
    >
      Restore
    </Button>
  )
}
