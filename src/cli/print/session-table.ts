// The columns of a list of sessions, for `ao session ls` and `ao status`.

import { taskWord } from '../../contract/blocker.ts'
import { isNewerRecord } from '../../contract/formats.ts'
import { recordOf } from '../../contract/record.ts'
import { damageOf, type Session } from '../../contract/session.ts'
import { unknownText } from '../../core/place/unreachable-places.ts'
import { needOfRecord } from '../../core/queue/find-need.ts'
import { prNumber, summaryOf } from '../../core/status/describe-session.ts'
import { otherPulls } from '../../core/status/recorded-facts.ts'
import { spentOf } from '../../core/status/spent.ts'
import { formatAge, formatCost } from '../../core/text/format-age.ts'
import { attentionGroup, statusPaint, statusWord } from './attention.ts'
import type { Style } from './style.ts'
import type { Column } from './table.ts'

type SessionColumn = Column<Session>

export function sessionColumns(style: Style, options: { showProject: boolean; now: Date }): SessionColumn[] {
  return [
    idColumn(style),
    ...(options.showProject ? [projectColumn()] : []),
    statusColumn(style, options),
    activityColumn(options),
    taskColumn(),
    branchColumn(),
    { title: 'ISSUE', text: ({ issueId }) => issueId ?? '', min: 5, drop: 3 },
    prColumn(),
    summaryColumn(style),
  ]
}

export function statusColumns(style: Style, options: { showProject: boolean; now: Date }): SessionColumn[] {
  return [
    idColumn(style),
    ...(options.showProject ? [projectColumn()] : []),
    statusColumn(style, options),
    { ...activityColumn(options), drop: 5 },
    { title: 'AGE', text: ({ lastActivityAt }) => formatAge(lastActivityAt, options.now), align: 'right' },
    taskColumn(),
    branchColumn(),
    prColumn(),
    {
      title: 'COST',
      text: (session) => formatCost(spentOf(session)?.costUsd || null),
      align: 'right',
      drop: 4,
    },
    summaryColumn(style),
  ]
}

function idColumn(style: Style): SessionColumn {
  return { title: 'SESSION', text: ({ id }) => id, paint: (text) => style.bold(text) }
}

function projectColumn(): SessionColumn {
  return { title: 'PROJECT', text: ({ projectId }) => projectId, min: 7, drop: 6 }
}

/** The mark makes it stand out without colours too. */
function statusColumn(style: Style, { now }: { now: Date }): SessionColumn {
  return {
    title: 'STATUS',
    text(session) {
      const need = needOfRecord(session, now)
      const word = statusWord(session, now, need)
      return attentionGroup(session, now, need) === 'Needs you' ? `! ${word}` : word
    },
    paint(text, session) {
      if (!style.hasColour) return text
      const group = attentionGroup(session, now)
      const paint = statusPaint(session, group)
      const coloured = paint ? style[paint](text) : text
      return group === 'Needs you' ? style.bold(coloured) : coloured
    },
  }
}

function activityColumn({ now }: { now: Date }): SessionColumn {
  const text = (session: Session) => {
    const unknown = session.agentInfo?.unknown
    if (session.activity === null && unknown) return unknownText(unknown, now)
    const isPaused = session.agentInfo?.paused || (session.activity === 'exited' && recordOf(session).paused)
    return isPaused ? 'paused' : session.activity
  }
  return { title: 'ACTIVITY', text: (session) => text(session) ?? '-' }
}

function branchColumn(): SessionColumn {
  return { title: 'BRANCH', text: ({ branch }) => branch ?? '-', min: 10, drop: 2 }
}

/** Only where a session is one of several of a task. */
function taskColumn(): SessionColumn {
  const text = (session: Session) => {
    const { task } = recordOf(session)
    return task ? `${taskWord(task)}${task.chosen && task.kind === 'best' ? ' chosen' : ''}` : ''
  }
  return { title: 'TASK', text }
}

function prColumn(): SessionColumn {
  return {
    title: 'PR',
    text: (session) => `${session.pr?.url ?? ''}${further(session)}`,
    short: (session) => {
      const number = prNumber(session)
      return `${number === null ? (session.pr?.url ?? '') : `#${number}`}${further(session)}`
    },
    min: 12,
  }
}

/** How many more pull requests it has. */
function further(session: Session): string {
  const count = otherPulls(recordOf(session)).length
  return count === 0 ? '' : ` +${count}`
}

function summaryColumn(style: Style): SessionColumn {
  return {
    title: 'SUMMARY',
    text: (session) => {
      const damage = damageOf(session)
      if (damage === undefined) return summaryOf(session) ?? ''
      return isNewerRecord(recordOf(session)) ? `record: ${damage}` : `damaged record: ${damage}`
    },
    paint: (text) => style.dim(text),
    min: 12,
    drop: 1,
  }
}
