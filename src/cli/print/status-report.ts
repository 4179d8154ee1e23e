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
  return [...cut(lines, options), '', truncate(summaryLine(sessions), options.width)]
}

function groupSessions(sessions: Session[]): Array<{ group: AttentionGroup; members: Session[] }> {
  return ATTENTION_GROUPS.map((group) => ({
    group,
    members: sessions.filter((session) => attentionGroup(session) === group).sort(byUrgency),
  })).filter(({ members }) => members.length > 0)
}

/** The urgent ones are on top, so the end can be cut. */
function cut(lines: string[], { height, style }: StatusReportOptions): string[] {
  const room = height - 3
  if (lines.length <= room) return lines
  const kept = lines.slice(0, Math.max(1, room - 1))
  return [...kept, style.dim(`  ... ${lines.length - kept.length} more lines; all of them: ao session ls`)]
}

function summaryLine(sessions: Session[]): string {
  const counts = ATTENTION_GROUPS.map((group) => ({
    group,
    count: sessions.filter((session) => attentionGroup(session) === group).length,
  })).filter(({ count }) => count > 0)
  const parts = counts.map(({ group, count }) => `${count} ${countText(group, count)}`)
  const total = sumSpent(sessions.map(spentOf)).costUsd ?? 0
  return `${plural(sessions.length, 'session')}: ${parts.join(', ')}${total > 0 ? `; ${formatCost(total)} so far` : ''}`
}

function countText(group: AttentionGroup, count: number): string {
  if (group === 'Needs you') return count === 1 ? 'needs you' : 'need you'
  if (group === 'Pull requests') return count === 1 ? 'pull request' : 'pull requests'
  return group.toLowerCase()
}
