// The overview of the fleet: groups, most urgent first, each a table; and a closing line. Lines only, no I/O.
import type { Session } from '../../contract/session.ts'
import { spentOf, sumSpent } from '../../core/status/spent.ts'
import { formatCost, plural } from '../../core/text/format-age.ts'
import { ATTENTION_GROUPS, type AttentionGroup, attentionGroup, byUrgency } from './attention.ts'
import { truncate } from './plain-text.ts'
import { statusColumns } from './session-table.ts'
import type { Style } from './style.ts'
import { renderTable } from './table.ts'

export interface StatusReportOptions {
  style: Style
  width: number
  now: Date
  showProject: boolean
  /** Available lines; Infinity for all. */
  height: number
}

export function renderStatus(sessions: Session[], options: StatusReportOptions): string[] {
  if (sessions.length === 0) return ['No sessions. Start one with: ao spawn <issue>']
  const groups = groupSessions(sessions)
  const ordered = groups.flatMap(({ members }) => members)
  // One table for all groups, so that the columns line up.
  const [title = '', ...rows] = renderTable(statusColumns(options.style, options), ordered, {
    width: options.width,
    indent: 2,
    paintTitle: options.style.dim,
  })
  const lines = [title]
  for (const { group, members } of groups) {
    lines.push(options.style.bold(`${group} (${members.length})`), ...rows.splice(0, members.length))
  }
  return [...cut(lines, options), '', truncate(summaryLine(sessions, groups), options.width)]
}

type Groups = Array<{ group: AttentionGroup; members: Session[] }>

function groupSessions(sessions: Session[]): Groups {
  const byGroup = Map.groupBy(sessions, (session) => attentionGroup(session))
  return ATTENTION_GROUPS.flatMap((group) => {
    const members = byGroup.get(group)
    return members ? [{ group, members: members.sort(byUrgency) }] : []
  })
}

/** The urgent ones are on top, so the end can be cut. */
function cut(lines: string[], { height, style }: StatusReportOptions): string[] {
  const room = height - 3
  if (lines.length <= room) return lines
  const kept = lines.slice(0, Math.max(1, room - 1))
  return [...kept, style.dim(`  ... ${lines.length - kept.length} more lines; all of them: ao session ls`)]
}

function summaryLine(sessions: Session[], groups: Groups): string {
  const parts = groups.map(({ group, members }) => `${members.length} ${countText(group, members.length)}`)
  const total = sumSpent(sessions.map(spentOf)).costUsd ?? 0
  return `${plural(sessions.length, 'session')}: ${parts.join(', ')}${total > 0 ? `; ${formatCost(total)} so far` : ''}`
}

function countText(group: AttentionGroup, count: number): string {
  if (group === 'Needs you') return count === 1 ? 'needs you' : 'need you'
  if (group === 'Pull requests') return count === 1 ? 'pull request' : 'pull requests'
  return group.toLowerCase()
}
