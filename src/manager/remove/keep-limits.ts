// Keeps what is left of archived sessions within the limits of the disk (core/session/disk-limits.ts). Each history says what went; a
// session that is active, or was restored meanwhile, loses nothing but turns that it could have gone back to.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { CASSETTE_DIRECTORY } from '../../core/recording/cassette.ts'
import { beyondLimit, type KeptData, limitsOf, whyRescueGoes } from '../../core/session/disk-limits.ts'
import { gitOn, openRepository, type Repository } from '../../git/repository.ts'
import { bytesOf, countBeyond, dropCheckpoints, listCheckpoints } from '../../git/rescue/checkpoint-refs.ts'
import { filesIn } from '../../lib/plain-file.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'
import { listParts, recordingDirectory } from '../../store/recording/recording-files.ts'
import { KEPT_HISTORY_BYTES, noteDropped, trimHistory } from '../../store/session/drop-data.ts'
import { listArchived } from '../../store/session/session-file.ts'
import { requireOwnRecord, withOperation } from '../../store/session/update-session.ts'
import { ownHandle } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { attachmentDirectory } from '../message/attached-files.ts'

export interface DroppedData {
  projectId: string
  session: string
  what: 'recording' | 'history' | 'event log' | 'rescue' | 'checkpoint' | 'cassette'
  bytes: number
  detail: string
}

/** What should have gone, and is still there. */
export interface NotDropped extends Pick<DroppedData, 'projectId' | 'session' | 'what'> {
  why: string
}

export interface LimitsKept {
  dropped: DroppedData[]
  problems: NotDropped[]
}

interface Planned extends DroppedData, KeptData {
  /** How many bytes went; null: nothing did. */
  drop(): Promise<number | null>
}

export async function keepLimits(context: ManagerContext, { dryRun = false } = {}): Promise<LimitsKept> {
  const limits = limitsOf(context.config.disk ?? {})
  const archived = Object.keys(context.config.projects).flatMap((projectId) => archivedOf(context, projectId))
  const planned = [
    ...beyondLimit(
      archived.map((one) => recordingOf(context, one)),
      limits.recordingBytes,
    ),
    ...beyondLimit(
      archived.map((one) => historyOf(context, one)),
      limits.historyBytes,
    ),
    ...(await oldRescues(context, archived, limits.rescueDays)),
  ]
  const problems: NotDropped[] = []
  const dropped = [
    ...(await dropPlanned(context, planned, dryRun, problems)),
    ...(await keepCheckpoints(context, limits, dryRun)),
    ...keepCassettes(context, limits, dryRun),
  ]
  // Last: it is another program that drops them, which may not answer.
  const logs = await eventLogsBeyond(context, archived, limits.eventLogBytes, problems)
  dropped.push(...(await dropPlanned(context, logs, dryRun, problems)))
  return { dropped, problems }
}

/** One that cannot be dropped keeps no other from going. */
async function dropPlanned(
  context: ManagerContext,
  planned: readonly Planned[],
  dryRun: boolean,
  problems: NotDropped[],
): Promise<DroppedData[]> {
  const dropped: DroppedData[] = []
  for (const { drop, at: _at, ...data } of planned) {
    const { projectId, session, what } = data
    const store = context.store(projectId)
    const carryOut = async () => {
      if (store.read(session) !== null) return
      const archived = store.readArchived(session)
      if (archived) requireOwnRecord(archived.file, archived)
      const bytes = await drop()
      if (bytes !== null) dropped.push({ ...data, bytes })
    }
    try {
      if (dryRun) dropped.push(data)
      else await withOperation({ paths: context.paths.project(projectId) }, session, carryOut)
    } catch (error) {
      problems.push({ projectId, session, what, why: errorText(error) })
    }
  }
  return dropped
}

const DAY_MS = 24 * 60 * 60_000

/** Recorded days are of no session: what goes is said by whoever asked. Today's is being written. */
function keepCassettes(
  context: ManagerContext,
  { cassetteBytes, cassetteMs }: ReturnType<typeof limitsOf>,
  dryRun: boolean,
): DroppedData[] {
  const now = context.clock.now().getTime()
  const days = Object.keys(context.config.projects).flatMap((projectId) => {
    const directory = join(context.paths.project(projectId).dir, CASSETTE_DIRECTORY)
    return filesIn(directory).flatMap((name) => {
      const at = Date.parse(/^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1] ?? '')
      const file = join(directory, name)
      return Number.isNaN(at) ? [] : [{ projectId, file, at, name, bytes: statSync(file).size }]
    })
  })
  // Days are local ones: one that may still be written to is left alone.
  const over = days.filter(({ at }) => now - at > 2 * DAY_MS)
  const old = over.filter(({ at }) => now - at > cassetteMs + DAY_MS)
  const young = days.filter((one) => !old.includes(one))
  const going = [...old, ...beyondLimit(young, cassetteBytes).filter((one) => over.includes(one))]
  if (!dryRun) for (const { file } of going) removeFile(file)
  return going.map(({ projectId, name, bytes, file }) => {
    return { projectId, session: `${projectId} on ${name.slice(0, 10)}`, what: 'cassette', bytes, detail: file }
  })
}

/** Also of sessions that are there: none of its files is lost with one. */
async function keepCheckpoints(
  context: ManagerContext,
  { checkpointBytes, checkpointMs }: ReturnType<typeof limitsOf>,
  dryRun: boolean,
): Promise<DroppedData[]> {
  const dropped: DroppedData[] = []
  for (const [projectId, { path }] of Object.entries(context.config.projects)) {
    const repository = openRepository(path, context.env)
    const all = await listCheckpoints(repository)
    const since = context.clock.now().getTime() - checkpointMs
    const young = all.filter(({ savedAt }) => savedAt >= since)
    const beyond = young.slice(0, await countBeyond(repository, young, checkpointBytes))
    const going = [...all.filter(({ savedAt }) => savedAt < since), ...beyond]
    for (const [session, own] of Map.groupBy(going, ({ sessionId }) => sessionId)) {
      const turns = own.map(({ turn }) => turn).toSorted((one, other) => one - other)
      const detail = `the files before turn${turns.length === 1 ? '' : 's'} ${turns.join(', ')}`
      const bytes = await bytesOf(repository, own)
      dropped.push({ projectId, session, what: 'checkpoint', bytes, detail })
      if (dryRun) continue
      // An agent may have made one for a session that never was.
      if (context.store(projectId).read(session) || context.store(projectId).readArchived(session))
        await note(context, { projectId, session }, 'checkpoint', bytes, detail)
      await dropCheckpoints(
        repository,
        own.map(({ ref }) => ref),
      )
    }
  }
  return dropped
}

interface Archived {
  projectId: string
  session: string
  at: number
}

function archivedOf(context: ManagerContext, projectId: string): Archived[] {
  const active = new Set(context.store(projectId).list())
  const newest = Map.groupBy(listArchived(context.paths.project(projectId)), ({ id }) => id)
  return [...newest].flatMap(([session, [last]]) =>
    active.has(session) ? [] : [{ projectId, session, at: last!.archivedAt.getTime() }],
  )
}

function note(
  context: ManagerContext,
  { projectId, session }: Pick<Archived, 'projectId' | 'session'>,
  what: Exclude<DroppedData['what'], 'cassette'>,
  bytes: number,
  detail: string,
) {
  const store = { paths: context.paths.project(projectId), clock: context.clock }
  return noteDropped(store, session, { what, bytes, detail })
}

function recordingOf(context: ManagerContext, archived: Archived): Planned {
  const paths = context.paths.project(archived.projectId)
  const directory = recordingDirectory(paths.stateDir(archived.session))
  const files = attachmentDirectory(paths, archived.session)
  const recorded = listParts(directory).reduce((sum, part) => sum + part.bytes, 0)
  const attached = filesIn(files).reduce((sum, name) => sum + statSync(join(files, name)).size, 0)
  const bytes = recorded + attached
  const detail = `${recorded} bytes of recorded terminal${attached > 0 ? ` and ${attached} of attached files` : ''}`
  return {
    ...archived,
    ...{ what: 'recording', bytes, detail },
    async drop() {
      await note(context, archived, 'recording', bytes, detail)
      removeTree(directory)
      removeTree(files)
      return bytes
    },
  }
}

function historyOf(context: ManagerContext, archived: Archived): Planned {
  const paths = context.paths.project(archived.projectId)
  const size = statSync(paths.historyFile(archived.session), { throwIfNoEntry: false })?.size ?? 0
  const bytes = Math.max(0, size - KEPT_HISTORY_BYTES)
  return {
    ...archived,
    ...{ what: 'history', bytes, detail: `all but its last ${KEPT_HISTORY_BYTES / 1024} KB` },
    drop: async () => (await trimHistory({ paths, clock: context.clock }, archived.session)) || null,
  }
}

async function eventLogsBeyond(
  context: ManagerContext,
  archived: readonly Archived[],
  limit: number,
  problems: NotDropped[],
): Promise<Planned[]> {
  if (limit === Number.POSITIVE_INFINITY) return []
  const found: Planned[] = []
  // One after the other: there may be thousands, each a file to open.
  for (const one of archived) {
    try {
      found.push(...(await eventLogOf(context, one)))
    } catch (error) {
      const { projectId, session } = one
      problems.push({ projectId, session, what: 'event log', why: errorText(error) })
    }
  }
  return beyondLimit(found, limit)
}

/** None: its runtime keeps none. */
async function eventLogOf(context: ManagerContext, archived: Archived): Promise<Planned[]> {
  const { projectId, session } = archived
  const stored = context.store(projectId).readArchived(session)
  const handle = stored && ownHandle(context, projectId, session, stored.record)
  if (!handle) return []
  const eventLog = (await context.registry.find('runtime', handle.runtimeName))?.eventLog
  if (!eventLog) return []
  const detail = 'all but the end of what its agent said and did, and the files attached to that'
  const drop = async () => {
    const bytes = await eventLog.trim(handle)
    if (bytes === 0) return null
    // Afterwards: only then is it known that it went. The log itself says so in the same step.
    await note(context, archived, 'event log', bytes, detail)
    return bytes
  }
  return [{ ...archived, what: 'event log', bytes: await eventLog.spareBytes(handle), detail, drop }]
}

async function oldRescues(context: ManagerContext, archived: readonly Archived[], days: number): Promise<Planned[]> {
  const found = await Promise.all(
    Object.entries(context.config.projects).map(async ([projectId, { path }]) => {
      const own = new Map(archived.filter((one) => one.projectId === projectId).map((one) => [one.session, one]))
      if (own.size === 0) return []
      const repository = openRepository(path, context.env)
      const planned: Planned[] = []
      // One after the other: there may be hundreds, and each is a question to git.
      for (const rescue of await listAllRescues(repository)) {
        const one = own.get(rescue.session)
        const elsewhere = one ? await whereElse(repository, rescue.commit) : null
        const why = whyRescueGoes({ ...rescue, elsewhere }, context.clock.now().getTime(), days)
        if (!one || why === null) continue
        const detail = `${rescue.ref} (${rescue.commit}), because ${why}`
        const drop = async () => {
          await note(context, one, 'rescue', 0, detail)
          // The second one says that it was restored, and would keep its objects as well.
          for (const ref of [rescue.ref, rescue.ref.replace('/rescue/', '/settled/')])
            await gitOn(repository, ['update-ref', '-d', ref])
          return 0
        }
        planned.push({ ...one, what: 'rescue', bytes: 0, detail, drop })
      }
      return planned
    }),
  )
  return found.flat()
}

async function listAllRescues(repository: Repository) {
  const args = ['for-each-ref', '--format=%(refname) %(objectname) %(committerdate:unix)', 'refs/ao/rescue/']
  const listed = await gitOn(repository, args, { read: true })
  return [...listed.matchAll(/^(refs\/ao\/rescue\/([^/\s]+)\/\d+) ([0-9a-f]+) (\d+)$/gm)].map(
    ([, ref, session, commit, seconds]) => ({
      ref: ref!,
      session: session!,
      commit: commit!,
      savedAt: Number(seconds) * 1000,
    }),
  )
}

/** What somebody else keeps it by. */
async function whereElse(repository: Repository, commit: string): Promise<string | null> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`, 'refs/heads', 'refs/tags']
  return (await gitOn(repository, args, { read: true })).trim() || null
}
