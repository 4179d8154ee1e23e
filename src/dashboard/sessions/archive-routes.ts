// Archived sessions. Restoring one is the session's own route.
import { join } from 'node:path'
import { type ArchiveAnswer, archiveAnswer } from '../../contract/dashboard/pages.ts'
import { NON_RESTORABLE_STATUSES } from '../../contract/status.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { titleOf } from '../../core/status/describe-session.ts'
import { spentOf } from '../../core/status/spent.ts'
import { readStored } from '../../store/session/session-file.ts'
import type { ArchivedFile, SessionStore } from '../../store/session/session-store.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'

type Row = ArchiveAnswer['sessions'][number]

/** A page for people: older ones are listed by `ao session ls --all`. */
const MOST_ROWS = 500

export const ARCHIVE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/archive',
    summary: `The archived sessions, newest first, at most ${MOST_ROWS}`,
    answer: archiveAnswer,
    handle: async ({ context }) => ({ sessions: listRows(context) }),
  }),
]

function listRows(context: DashboardContext): Row[] {
  const files = Object.keys(context.config.projects).flatMap((projectId) => {
    const store = context.store(projectId)
    const active = new Set(store.list())
    return newestOfEach(store.listArchived())
      .filter(({ id }) => !active.has(id))
      .map((file) => ({ store, file }))
  })
  return files
    .sort((a, b) => b.file.archivedAt.getTime() - a.file.archivedAt.getTime())
    .slice(0, MOST_ROWS)
    .flatMap(({ store, file }) => rowOf(store, file) ?? [])
}

/** A session that was restored and archived again has several files; the newest is first. */
function newestOfEach(files: ArchivedFile[]): ArchivedFile[] {
  const seen = new Set<string>()
  return files.filter(({ id }) => !seen.has(id) && seen.add(id))
}

function rowOf(store: SessionStore, { id, file, archivedAt }: ArchivedFile): Row | null {
  const stored = readStored(id, join(store.paths.archive, file))
  if (!stored) return null
  const session = storedSession(stored, store.projectId)
  const { status, branch, issueId, pr, createdAt } = session
  const { record } = stored
  return {
    id,
    projectId: store.projectId,
    title: titleOf(session),
    status,
    agent: record.agent ?? '',
    branch,
    issueId,
    prUrl: pr?.url ?? null,
    createdAt: createdAt.toISOString(),
    archivedAt: archivedAt.toISOString(),
    costUsd: spentOf(session)?.costUsd ?? null,
    canRestore: !NON_RESTORABLE_STATUSES.has(status),
  }
}
