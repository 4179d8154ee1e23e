// Commands that show sessions: list, status, inspect, health, and waiting for one.
import type { AghPaths } from '../../agh/paths.ts'
import type { SessionView } from '../../contract/agh/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { READ, rights } from '../../core/boundary/rights.ts'
import { requestLine } from '../../core/queue/describe-request.ts'
import { formatAge, plural } from '../../core/text/format-age.ts'
import { readTime } from '../../core/text/read-time.ts'
import { sleep } from '../../lib/clock.ts'
import type { Io } from '../print/io.ts'
import type { Column } from '../print/table.ts'
import { aghCommand, SESSION_ARGUMENT } from './agh-command.ts'
import { sessionLines } from './lines.ts'

export const sessionListCommand = aghCommand({
  name: 'session list',
  inside: rights('no', 'yes', 'family'),
  about: 'List the sessions that are not stopped, or all',
  details: 'With --all also those whose meta.json is missing or damaged; their history can still be read.',
  options: { all: { short: 'a', about: 'Stopped and damaged ones too' } },
  async run({ options, io, agh, showTable }) {
    const answer = await agh.call('GET /api/sessions', { query: { stopped: options.all ? undefined : false } })
    const damaged = answer.damaged.map(
      ({ session_id, problem }) => ({ id: session_id, state: 'damaged', problem }) as const,
    )
    const rows: ListRow[] = options.all ? [...answer.sessions, ...damaged] : answer.sessions
    showTable({
      whole: rows,
      rows,
      columns: listColumns(io),
      empty: options.all ? 'There is no session yet.' : 'No session is running. All of them: agh session list --all',
    })
    if (!options.all && damaged.length > 0) {
      io.note(`${plural(damaged.length, 'damaged session')}. See: agh session list --all`)
    }
  },
})

interface DamagedRow {
  id: string
  state: 'damaged'
  problem: string
}
type ListRow = SessionView | DamagedRow

function listColumns(io: Io): Column<ListRow>[] {
  const whole = (read: (session: SessionView) => string) => (row: ListRow) => (isDamaged(row) ? '' : read(row))
  const ended = ({ stop_reason, failure }: SessionView) => [stop_reason, failure?.kind].filter(Boolean).join(', ')
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'NAME', text: whole(({ name }) => name ?? ''), min: 8, drop: 2 },
    { title: 'TYPE', text: whole(({ type }) => (type === 'user' ? '' : type)), drop: 4 },
    { title: 'AGENT', text: whole(({ agent_name }) => agent_name), drop: 3 },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'ACTIVITY', text: whole(activityOf) },
    { title: 'ENDED', text: (row) => (isDamaged(row) ? row.problem : ended(row)), min: 8 },
    { title: 'WORKSPACE', text: whole(({ workspace_path }) => workspace_path), min: 10, drop: 1 },
    {
      title: 'CHANGED',
      text: whole(({ updated_at }) => formatAge(new Date(updated_at), io.clock.now())),
      align: 'right',
    },
  ]
}

function isDamaged(row: ListRow): row is DamagedRow {
  return row.state === 'damaged'
}

function activityOf({ state, health, pending_permissions: [pending] }: SessionView): string {
  if (pending) return `asks: ${requestLine(pending, 200)}`
  return state === 'active' ? health.state : ''
}

export const sessionStatusCommand = aghCommand({
  name: 'session status',
  inside: READ,
  about: 'Show one session: state, stop reason, failure, health',
  args: { session: SESSION_ARGUMENT },
  async run({ args, io, agh, show }) {
    const answer = await agh.call('GET /api/sessions/:id', { params: { id: args.session } })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionInspectCommand = aghCommand({
  name: 'session inspect',
  inside: READ,
  about: 'Show everything known of one session, as JSON unless asked otherwise',
  args: { session: SESSION_ARGUMENT },
  defaultFormat: 'json',
  async run({ args, io, agh, show }) {
    const answer = await agh.call('GET /api/sessions/:id', { params: { id: args.session } })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionHealthCommand = aghCommand({
  name: 'session health',
  inside: READ,
  about: 'Show the health record of a session',
  args: { session: SESSION_ARGUMENT },
  async run({ args, agh, show }) {
    const answer = await agh.call('GET /api/sessions/:id/health', { params: { id: args.session } })
    const { state, health, attachable, eligible_for_wake } = answer.health
    show(answer, () => [`${state}  ${health}  attachable ${attachable}  eligible_for_wake ${eligible_for_wake}`])
  },
})

const POLL_EVERY_MS = 100

export const sessionWaitCommand = aghCommand({
  name: 'session wait',
  inside: READ,
  about: 'Wait until a session is stopped or idle',
  details:
    'The exit code is 0; 1 when the session has failed, or stopped while idle was waited for; 3 when time runs out.',
  args: { session: SESSION_ARGUMENT },
  options: {
    until: { short: 'u', value: 'state', about: 'stopped (default) or idle', completes: ['stopped', 'idle'] },
    timeout: { value: 'time', about: 'Give up after this time, such as 30s or 10m' },
  },
  async run({ args, options, io, agh, show }) {
    const until = options.until ?? 'stopped'
    if (until !== 'stopped' && until !== 'idle') {
      throw new AoError('USAGE', `--until takes stopped or idle, not ${until}`, {
        hint: 'See: agh session wait --help',
      })
    }
    const limit = options.timeout === undefined ? Number.POSITIVE_INFINITY : readTime('--timeout', options.timeout)
    for (const began = performance.now(); ; await sleep(POLL_EVERY_MS)) {
      const answer = await agh.call('GET /api/sessions/:id', { params: { id: args.session } }).catch((error) => {
        if (until === 'stopped' && error instanceof AoError && error.code === 'DAEMON_STOPPED') return null
        throw error
      })
      // The daemon was stopped: what its session's file says is the truth now.
      if (!answer) return showStopped(agh.paths, args.session, io, show)
      const { state, health } = answer.session
      if (state === 'stopped' || (until === 'idle' && health.state === 'idle')) {
        show(answer, () => sessionLines(io, answer.session))
        return answer.session.failure || (until === 'idle' && state === 'stopped') ? 1 : 0
      }
      if (performance.now() - began > limit) {
        throw new AoError('TIMEOUT', `Session ${args.session} is still ${health.state} after ${options.timeout}`)
      }
    }
  },
})

async function showStopped(
  paths: AghPaths,
  id: string,
  io: Io,
  show: (value: object, human: () => string[]) => void,
): Promise<number> {
  const { readMeta } = await import('../../agh/store/meta-file.ts')
  const { state, stop_reason, failure } = readMeta(paths, id)
  if (state !== 'stopped') {
    throw new AoError('DAEMON_STOPPED', `The agh daemon ended while session ${id} was ${state}`, {
      hint: 'The next daemon continues or repairs it. Start it with: agh daemon start',
    })
  }
  show({ session: { id, state, stop_reason } }, () => [`${io.style.bold(id)}  stopped with the daemon`])
  // A turn that was cut off by the stop itself is no failure of the session.
  return failure && stop_reason !== 'shutdown' ? 1 : 0
}
