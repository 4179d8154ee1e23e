// `ao disk`: who uses how much, and what of it can go. Nothing is removed that was not named, and only on request.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { aghPaths } from '../../../agh/paths.ts'
import { requireTrust } from '../../../config/trust/trust.ts'
import { AoError } from '../../../contract/errors.ts'
import { openRepository } from '../../../git/repository.ts'
import { bytesOf, listCheckpoints } from '../../../git/rescue/checkpoint-refs.ts'
import { namesIn } from '../../../lib/plain-file.ts'
import { removeTree } from '../../../lib/remove.ts'
import { recordingDirectory } from '../../../store/recording/recording-files.ts'
import { listArchived } from '../../../store/session/session-file.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { renderTable } from '../../print/table.ts'
import { type Ao, openAo } from '../open-ao.ts'

interface Use {
  what: string
  paths: string[]
  /** How to have less of it. */
  fix: string
}

interface Freed {
  path: string
  bytes: number
  /** The session that it is about; null: it can be made anew. */
  session: string | null
}

const DAY_MS = 24 * 60 * 60_000

export const diskCommand = defineCommand({
  name: 'disk',
  about: 'Show what uses the disk, and free it',
  details:
    'Without --free nothing is removed. --free vaults removes copies of git objects, which are made anew when they are needed.\n--free recordings removes the recorded terminals of sessions archived longer ago than --older: they cannot be brought back.\n--free limits removes what is beyond the limits under `disk` in the configuration, as ao start does once a day: recordings, beginnings of histories and event logs, rescued work of archived sessions, recorded days, and turns.',
  options: {
    free: { value: 'kind', about: 'Remove: vaults, recordings or limits' },
    older: { value: 'days', about: 'How many days ago their sessions must have been archived (default 30)' },
    'dry-run': { about: 'Only say what would be removed' },
    json: JSON_OPTION,
  },
  json: '{ uses: [{ what, files, bytes, unread, fix }] }, with --free { removed: [{ path, bytes, session }], bytes, dryRun }, of --free limits { removed: [{ projectId, session, what, bytes, detail }], problems: [{ projectId, session, what, why }], bytes, dryRun }',
  async run({ options }, io) {
    const ao = await openAo(io)
    if (options.free === undefined) return void showUses(usesOf(ao, io), await checkpointsOf(ao, io), options.json, io)
    if (options.free === 'limits') return keepWithin(ao, options, io)
    const found = freeable(options.free, daysOf(options.older), ao, io)
    if (!options['dry-run']) for (const { path } of found) removeTree(path)
    const bytes = found.reduce((sum, one) => sum + one.bytes, 0)
    if (options.json) return void io.json({ removed: found, bytes, dryRun: options['dry-run'] })
    const verb = options['dry-run'] ? 'would remove' : 'removed'
    for (const { path, bytes, session } of found)
      io.print(
        `${verb} ${session === null ? path : `the recording of ${io.style.bold(session)}`} (${inMegabytes(bytes)})`,
      )
    io.print(`${options['dry-run'] ? 'Would free' : 'Freed'} ${inMegabytes(bytes)}.`)
  },
})

function daysOf(text = '30'): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new AoError('USAGE', `--older takes a number of days, not ${text}`, { hint: 'For example: --older 30' })
}

function freeable(kind: string, days: number, ao: Ao, io: Io): Freed[] {
  if (kind === 'vaults') {
    const root = join(io.home, '.ao', 'vault')
    return namesIn(root).map((name) => sized(join(root, name), null))
  }
  if (kind === 'recordings') return oldRecordings(ao, io.clock.now().getTime() - days * DAY_MS)
  throw new AoError('USAGE', `Nothing is freed as ${kind}`, {
    hint: 'Either: --free vaults, --free recordings, or --free limits',
  })
}

async function keepWithin(ao: Ao, options: { 'dry-run': boolean; json: boolean }, io: Io): Promise<number> {
  const dryRun = options['dry-run']
  if (!dryRun) requireTrust(ao.config, { home: io.home, env: io.env, kinds: ['automatic'] })
  const { keepLimits } = await import('../../../manager/remove/keep-limits.ts')
  const { dropped: found, problems } = await keepLimits(ao.context, { dryRun })
  const bytes = found.reduce((sum, one) => sum + one.bytes, 0)
  const code = problems.length > 0 ? 1 : 0
  if (options.json) {
    io.json({ removed: found, problems, bytes, dryRun })
    return code
  }
  for (const { session, what, detail } of found)
    io.print(`${dryRun ? 'would drop' : 'dropped'} the ${what} of ${io.style.bold(session)}: ${detail}`)
  for (const { session, what, why } of problems)
    io.print(`could not drop the ${what} of ${io.style.bold(session)}: ${toOneLine(why)}`)
  const isNothing = found.length === 0 && code === 0
  io.print(isNothing ? 'Nothing is beyond its limit.' : `${dryRun ? 'Would free' : 'Freed'} ${inMegabytes(bytes)}.`)
  return code
}

/** A session that is there again may be recorded at this moment. */
function oldRecordings(ao: Ao, before: number): Freed[] {
  return Object.keys(ao.config.projects).flatMap((id) => {
    const paths = ao.paths.project(id)
    const active = new Set(ao.context.store(id).list())
    const newest = Map.groupBy(listArchived(paths), (one) => one.id)
    const old = [...newest].filter(([session, [last]]) => !active.has(session) && last!.archivedAt.getTime() < before)
    return old
      .map(([session]) => sized(recordingDirectory(paths.stateDir(session)), session))
      .filter(({ bytes }) => bytes > 0)
  })
}

function sized(path: string, session: string | null): Freed {
  return { path, bytes: sizeOf(path).bytes, session }
}

function usesOf(ao: Ao, io: Io): Use[] {
  const projects = Object.keys(ao.config.projects)
  const inProjects = (...names: string[]) =>
    projects.flatMap((id) => names.map((name) => join(ao.paths.project(id).dir, name)))
  const agh = aghPaths(io.env, io.home)
  const states = projects.flatMap((id) =>
    namesIn(join(ao.paths.project(id).dir, 'state')).map((session) => ao.paths.project(id).stateDir(session)),
  )
  const workspaces = projects.flatMap((id) =>
    ao.context
      .store(id)
      .list()
      .flatMap((session) => ao.context.store(id).read(session)?.record.worktree ?? []),
  )
  return [
    { what: 'workspaces', paths: workspaces, fix: 'ao session cleanup' },
    { what: 'recordings', paths: states.map(recordingDirectory), fix: 'ao disk --free recordings' },
    { what: 'copies of git objects', paths: [join(io.home, '.ao', 'vault')], fix: 'ao disk --free vaults' },
    {
      what: 'event logs of agh',
      paths: [agh.sessions],
      fix: 'disk.eventLogsMb, ao disk --free limits; agh session trim',
    },
    { what: 'histories', paths: inProjects('history'), fix: 'disk.historiesMb, ao disk --free limits' },
    { what: 'recorded days', paths: inProjects('cassettes'), fix: 'disk.cassetteDays, ao disk --free limits' },
    { what: 'records and archive', paths: inProjects('sessions'), fix: '' },
    { what: 'issues, pull requests and checks', paths: inProjects('issues', 'pulls', 'checks', 'train'), fix: '' },
    { what: 'logs', paths: [join(io.home, '.ao', 'run'), join(agh.home, 'logs')], fix: '' },
  ]
}

interface Row extends Size {
  what: string
  fix: string
}

async function checkpointsOf(ao: Ao, io: Io): Promise<Row> {
  const sizes = await Promise.all(
    Object.values(ao.config.projects).map(async ({ path }) => {
      const repository = openRepository(path, io.env)
      const all = await listCheckpoints(repository)
      return { files: all.length, bytes: await bytesOf(repository, all) }
    }),
  )
  const total = (of: 'files' | 'bytes') => sizes.reduce((sum, one) => sum + one[of], 0)
  const fix = 'disk.checkpointDays, ao disk --free limits'
  return { what: 'turns to go back to', files: total('files'), bytes: total('bytes'), unread: 0, fix }
}

function showUses(uses: readonly Use[], checkpoints: Row, asJson: boolean, io: Io): void {
  const measured = uses.map(({ what, paths, fix }) => {
    const sizes = paths.map(sizeOf)
    const total = (of: keyof Size) => sizes.reduce((sum, one) => sum + one[of], 0)
    return { what, files: total('files'), bytes: total('bytes'), unread: total('unread'), fix }
  })
  const rows: Row[] = [...measured, checkpoints]
  const sorted = rows.toSorted((a, b) => b.bytes - a.bytes)
  if (asJson) {
    io.json({ uses: sorted })
    return
  }
  const columns = [
    { title: 'WHAT', text: ({ what }: (typeof rows)[number]) => what },
    { title: 'FILES', text: ({ files }: (typeof rows)[number]) => String(files) },
    { title: 'SIZE', text: ({ bytes }: (typeof rows)[number]) => inMegabytes(bytes) },
    { title: 'LESS OF IT', text: ({ fix }: (typeof rows)[number]) => fix },
  ]
  for (const line of renderTable(columns, sorted, { width: io.width() })) io.print(line)
  io.print(`\n${inMegabytes(rows.reduce((sum, { bytes }) => sum + bytes, 0))} in all.`)
  const unread = rows.reduce((sum, one) => sum + one.unread, 0)
  if (unread > 0) io.print(`Not counted: ${unread} that could not be read.`)
}

interface Size {
  files: number
  bytes: number
  /** Paths that are too long, or not open to this user. */
  unread: number
}

/** What is below a path, without following a link. Anything that is gone meanwhile counts as nothing. */
function sizeOf(path: string): Size {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return { files: 0, bytes: 0, unread: 0 }
    if (!stats.isDirectory()) return { files: 1, bytes: stats.size, unread: 0 }
    const sum = { files: 0, bytes: 0, unread: 0 }
    for (const name of namesIn(path)) {
      const below = sizeOf(join(path, name))
      for (const name of ['files', 'bytes', 'unread'] as const) sum[name] += below[name]
    }
    return sum
  } catch (error) {
    // An agent decides what is in its workspace; the others are shown all the same.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return { files: 0, bytes: 0, unread: 1 }
  }
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
