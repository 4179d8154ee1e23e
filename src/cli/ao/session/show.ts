// `ao session show`: everything about one session, including archived ones.

import type { SessionEvent } from '../../../contract/events.ts'
import type { PermissionRequest } from '../../../contract/permission.ts'
import { recordOf } from '../../../contract/record.ts'
import { OWN_SESSION } from '../../../core/boundary/rights.ts'
import { describeRequest } from '../../../core/queue/describe-request.ts'
import { describeEvent } from '../../../core/status/describe-event.ts'
import { summaryOf } from '../../../core/status/describe-session.ts'
import { otherPulls } from '../../../core/status/recorded-facts.ts'
import { formatAge, formatCost, formatCount } from '../../../core/text/format-age.ts'
import { type AnySession, requireAnySession } from '../../../manager/observe/require-session.ts'
import { ONE_SESSION, READS } from '../../../mcp/command-tool.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { needsPerson, statusPaint, statusWord } from '../../print/attention.ts'
import type { Io } from '../../print/io.ts'
import { localTime } from '../../print/local-time.ts'
import { toOneLine, truncate } from '../../print/plain-text.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { renderTable } from '../../print/table.ts'
import { type Ao, openAo } from '../open-ao.ts'

const DEFAULT_EVENTS = 10
/** The runtime's name for the session is not for users; the rest of these is in the first block. */
const INTERNAL_KEYS: ReadonlySet<string> = new Set(['tmuxName', 'runtimeHandle'])
const SHOWN_KEYS: ReadonlySet<string> = new Set([
  ...INTERNAL_KEYS,
  ...[
    'project',
    'status',
    'branch',
    'issue',
    'pr',
    'worktree',
    'summary',
    'agent',
    'account',
    'createdAt',
    'restoredAt',
  ],
])

export const sessionShowCommand = defineCommand({
  name: 'session show',
  inside: OWN_SESSION,
  about: 'Show everything about one session, archived ones too',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    events: { short: 'n', value: 'count', about: `Number of events to show, or all (default ${DEFAULT_EVENTS})` },
    json: JSON_OPTION,
  },
  json: '{ session: Session & { archivedAt, lastMessage, model, agentSessionId, metadata: { … }, history: [{ seq, at, type, … }], paths: { metadata, history, state } } }',
  tool: {
    name: 'get_session',
    title: 'Show a session',
    description: 'Everything about one session, ended ones too: record, history, question, last message.',
    hints: READS,
    input: { session: {} },
    output: ONE_SESSION,
  },
  async run({ args, options }, io) {
    const limit = parseCount(options.events)
    const ao = await openAo(io)
    const found = await requireAnySession(ao.context, args.session)
    const history = found.store.readHistory(args.session, limit === null ? {} : { last: limit })
    if (options.json) return void io.json({ session: fullJson(found, history.events) })
    const questions = await questionsOf(ao, found)
    io.printLines(renderSession(found, questions, io))
    io.printLines(renderMetadata(found, io))
    io.printLines(renderHistory(found, history.events, io))
    for (const problem of history.problems) io.note(`${io.noteStyle.yellow('warning:')} its history: ${problem}`)
  },
})

/** With events they are part of what is known of the agent; otherwise they are on its screen. */
async function questionsOf(ao: Ao, { session, archivedAt }: AnySession): Promise<PermissionRequest[]> {
  if (session.agentInfo?.pendingPermissions) return session.agentInfo.pendingPermissions
  if (archivedAt || session.activity !== 'waiting_input') return []
  return ao.manager.pendingPermissions(session.id)
}

function renderSession(found: AnySession, questions: PermissionRequest[], io: Io): string[] {
  const { session, archivedAt } = found
  const { agentInfo, activity } = session
  const now = io.clock.now()
  const ago = (date: Date | undefined) => (date ? `${formatAge(date, now)} ago (${date.toISOString()})` : '')
  const paint = statusPaint(session)
  const state = `${needsPerson(session) ? '! ' : ''}${statusWord(session)}${activity ? ` (${activity})` : ''}`
  const heading = `${io.style.bold(session.id)}  ${paint ? io.style[paint](state) : state}`
  const rows: Array<[label: string, value: string]> = [
    ['project', session.projectId],
    ['agent', [recordOf(session).agent, agentInfo?.model].filter(Boolean).join(', ')],
    ['account', recordOf(session).account ?? ''],
    ['runtime', session.runtimeHandle?.runtimeName ?? ''],
    ['branch', session.branch ?? ''],
    ['issue', session.issueId ?? ''],
    ['PR', session.pr?.url ?? ''],
    ...otherPulls(recordOf(session)).map((one): [string, string] => {
      return ['', `${one.url} (${one.state}, CI ${one.ci}, review ${one.review})`]
    }),
    ['summary', summaryOf(session) ?? ''],
    ['workspace', session.workspacePath ?? ''],
    ['created', ago(session.createdAt)],
    ['active', ago(session.lastActivityAt)],
    ['restored', ago(session.restoredAt)],
    ['archived', ago(archivedAt ?? undefined)],
    ['cost', describeCost(found)],
    ['blocked by', agentInfo?.blockedBy ?? ''],
    ['last words', agentInfo?.lastMessage ?? ''],
  ]
  return [heading, ...labelled(rows, io), ...questions.flatMap((request) => requestLines(session.id, request, io))]
}

/** All of it: this is where a person reads what the other surfaces had to cut. */
function requestLines(sessionId: string, request: PermissionRequest, { style }: Io): string[] {
  return [
    `  ${style.yellow('asks')}  ${style.dim(`answer with: ao session approve ${sessionId} ${request.requestId}`)}`,
    ...describeRequest(request).map((line) => `    ${line}`),
  ]
}

function describeCost({ session }: AnySession): string {
  const cost = session.agentInfo?.cost
  if (!cost) return ''
  const tokens = `${formatCount(cost.inputTokens)} in, ${formatCount(cost.outputTokens)} out, ${formatCount(cost.cacheReadTokens)} from cache`
  const money = formatCost(cost.estimatedCostUsd)
  return money ? `${money} (${tokens})` : `${tokens} (no price known for this model)`
}

function renderMetadata({ session, file }: AnySession, io: Io): string[] {
  const rows = Object.entries(session.metadata).filter(([key]) => !SHOWN_KEYS.has(key))
  return ['', `${io.style.bold('Record')}  ${io.style.dim(file)}`, ...labelled(rows, io)]
}

function renderHistory(found: AnySession, shown: SessionEvent[], io: Io): string[] {
  const file = found.store.paths.historyFile(found.session.id)
  const title = `${io.style.bold('History')}  ${shown.length} of ${shown.at(-1)?.seq ?? 0} events  ${io.style.dim(file)}`
  const table = renderTable<SessionEvent>(
    [
      { title: '', text: ({ at }) => localTime(at), paint: (text) => io.style.dim(text) },
      { title: '', text: ({ type }) => type, drop: 1 },
      { title: '', text: describeEvent, min: 20 },
    ],
    shown,
    { width: io.width(), indent: 2, bare: true },
  )
  return ['', title, ...table]
}

function labelled(rows: ReadonlyArray<readonly [string, string]>, io: Io): string[] {
  const filled = rows.filter(([, value]) => value !== '')
  const width = Math.max(0, ...filled.map(([label]) => label.length))
  const room = io.width() - width - 4
  return filled.map(([label, value]) => `  ${io.style.dim(label.padEnd(width))}  ${truncate(toOneLine(value), room)}`)
}

function fullJson({ session, archivedAt, file, store }: AnySession, events: SessionEvent[]) {
  return {
    ...toSessionJson(session),
    archivedAt: archivedAt?.toISOString() ?? null,
    lastMessage: session.agentInfo?.lastMessage ?? null,
    model: session.agentInfo?.model ?? null,
    agentSessionId: session.agentInfo?.agentSessionId ?? null,
    metadata: Object.fromEntries(Object.entries(session.metadata).filter(([key]) => !INTERNAL_KEYS.has(key))),
    history: events.map(withoutHandle),
    paths: {
      metadata: file,
      history: store.paths.historyFile(session.id),
      state: store.paths.stateDir(session.id),
    },
  }
}

function withoutHandle(event: SessionEvent): object {
  if (event.type !== 'runtime.started') return event
  const { handle, ...rest } = event
  return { ...rest, runtime: handle.runtimeName }
}

/** null: all of it. */
function parseCount(text: string | undefined): number | null {
  if (text === 'all') return null
  return wholeNumber('--events', text, { least: 1 }) ?? DEFAULT_EVENTS
}
