// Sessions, events, tasks and workspaces as text for people.
import type { SessionView, Workspace } from '../../contract/agh/answers.ts'
import type { EventContents, SessionEvent } from '../../contract/agh/events.ts'
import { textOf, toolTitle, trimmedText } from '../../contract/agh/read-update.ts'
import type { Task } from '../../contract/agh/task.ts'
import { describeRequest } from '../../core/queue/describe-request.ts'
import { describeLeftProcesses } from '../../core/status/describe-left-processes.ts'
import type { Io } from '../print/io.ts'
import { toOneLine, toSafeLines } from '../print/plain-text.ts'
import type { Paint, Style } from '../print/style.ts'

export function sessionLines(io: Io, session: SessionView): string[] {
  const { activity, failure, health } = session
  const rows: Array<[string, string | null | undefined]> = [
    ['name', session.name],
    ['agent', session.agent_name],
    ['type', session.type === 'user' ? null : session.type],
    ['workspace', [session.workspace_path, ...(session.additional_directories ?? [])].join(', ')],
    ['permissions', session.permissions],
    ['stopped', session.stop_reason && [session.stop_reason, session.stop_detail].filter(Boolean).join(': ')],
    [
      'left',
      session.left_running?.length
        ? `running, not proven to be the agent's: ${describeLeftProcesses(session.left_running)}`
        : null,
    ],
    ['failure', failure && `${failure.kind}: ${failure.summary}`],
    ['evidence', failure?.crash_bundle_path],
    ['ACP session', conversationOf(session)],
    ['forked from', session.forked_from?.session_id],
    ['mode', session.offers?.current_mode],
    ['model', session.offers?.options.find(({ id, category }) => category === 'model' || id === 'model')?.current],
    ['turn', activity && `${activity.turn_id}, ${activity.elapsed_seconds} s, idle ${activity.idle_seconds} s`],
    ['tool', activity?.current_tool],
    ['health', `${health.state}, ${health.health}${health.attachable ? ', attachable' : ''}`],
    ['wake', health.eligible_for_wake ? 'eligible' : health.ineligibility_reason],
    ['created', session.created_at],
    ['changed', session.updated_at],
  ]
  const filled = rows.filter((row): row is [string, string] => Boolean(row[1]))
  return [
    `${io.style.bold(session.id)}  ${session.state}`,
    ...filled.map(([label, value]) => `  ${io.style.dim(label.padEnd(11))}  ${toOneLine(value)}`),
    ...session.pending_permissions.flatMap((one) => [
      `  ${io.style.yellow('asks')}         ${one.request_id} (${toOneLine(one.kind)})`,
      ...describeRequest({ ...one, isCut: one.input_cut, diffsOmitted: one.diffs_omitted }).map(
        (line) => `    ${line}`,
      ),
    ]),
  ]
}

function conversationOf({ acp_session_id, started_with, conversation }: SessionView): string | null {
  if (conversation === 'deleted') return 'deleted by its agent; a resume begins a new one with a recap'
  const name = acp_session_id && `${acp_session_id} (${started_with})`
  return conversation === 'deleting' ? `${name}, which its agent was about to delete, and may have` : name
}

/** An event in words, on one line. */
export function describeAghEvent(event: SessionEvent): string {
  const { type, content } = event
  switch (type) {
    case 'user_message':
      return [content.text, ...attachedLines(content).map((line) => `[${line}]`)].join(' ')
    case 'prompt_withdrawn':
    case 'prompt_edited':
      return content.text
    case 'tool_call':
    case 'tool_result':
      return [toolTitle(content) ?? content.toolCallId, content.status].filter(Boolean).join(' ')
    case 'permission':
      return `${content.title}: ${content.decision ?? 'asked'}`
    case 'permission_revoked':
      return `${content.request_id}: ${content.rule}`
    case 'done':
      return content.stop_reason ?? ''
    case 'error':
      return content.error
    case 'session_stopped':
      return [content.stop_reason, content.stop_detail].filter(Boolean).join(': ')
    case 'session_started':
      return String(content.started_with ?? 'new')
    case 'runtime_progress':
    case 'runtime_warning':
      return content.detail
    case 'store_salvaged':
      return `${content.lost_events} events were lost`
    case 'store_trimmed':
      return trimmedText(content)
    default:
      // Also for a type that only a newer version knows.
      return textOf(content) ?? String(content.detail ?? content.sessionUpdate ?? content.garbage ?? '')
  }
}

export function taskLines(io: Io, task: Task): string[] {
  return [
    `${io.style.bold(task.id)}  ${toOneLine(task.title)}`,
    `  ${io.style.dim('workspace')}  ${task.workspace_path ?? '-'}`,
    ...task.runs.map(({ id, state, session_id, detail }) =>
      toOneLine(`  ${io.style.dim('run')}        ${[id, state, session_id, detail].filter(Boolean).join('  ')}`),
    ),
  ]
}

export function workspaceLine({ id, name, path }: Workspace): string {
  return `${name}  ${path}  (${id})`
}

const PAINTS: ReadonlyArray<readonly [start: string, paint: Paint]> = [
  ['> ', 'cyan'],
  ['~ ', 'dim'],
  ['* ', 'dim'],
  ['    ', 'dim'],
  ['-- ', 'dim'],
  ['? ', 'yellow'],
  ['! ', 'red'],
]

/** A line of a transcript on a terminal: sanitized, and coloured by how it begins. */
export function paintLine(line: string, style: Style): string {
  const safe = toSafeLines(line)
  const paint = PAINTS.find(([start]) => safe.startsWith(start))?.[1]
  return paint ? style[paint](safe) : safe
}

/** The files that went along with a prompt, and of which of them the agent has only a link. */
export function attachedLines({ attachments = [], linked = [] }: EventContents['user_message']): string[] {
  return attachments.map(({ name, type, sha256 }) => {
    return `${name}, ${type}${linked.includes(sha256) ? ': as a link, because the agent takes no such content' : ''}`
  })
}
