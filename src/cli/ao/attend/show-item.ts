// One item of the queue as text: what it is about in full, then the keys. Lines only, no I/O.
import type { NeedAct, NeedKind } from '../../../contract/dashboard/needs.ts'
import type { QueueItem } from '../../../core/queue/rank-queue.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import type { Paint, Style } from '../../print/style.ts'

const HEADS: Record<NeedKind, { text: string; paint: Paint }> = {
  permission: { text: 'asks for permission', paint: 'yellow' },
  question: { text: 'asks', paint: 'yellow' },
  error: { text: 'cannot continue', paint: 'red' },
  finished: { text: 'has finished its turn', paint: 'green' },
  review: { text: 'has a pull request to review', paint: 'magenta' },
  merge: { text: 'can be merged', paint: 'green' },
}

/** One key each; the same key never means two things in one item. */
export const KEYS: Record<NeedAct, { key: string; text: string }> = {
  allow: { key: 'y', text: 'allow once' },
  reject: { key: 'n', text: 'reject' },
  answer: { key: 'a', text: 'answer' },
  sign_in: { key: 'o', text: 'attach and sign in' },
  retry: { key: 'r', text: 'retry' },
  raise: { key: 'u', text: 'raise its budget and continue' },
  restore: { key: 'b', text: 'bring it back' },
  hand_in: { key: 'p', text: 'ask for a pull request' },
  ask_again: { key: 'g', text: 'let it ask again' },
  done: { key: 'd', text: 'mark done' },
  snooze: { key: 'z', text: 'snooze for an hour' },
  review: { key: 'v', text: 'view the diff' },
  merge: { key: 'm', text: 'merge' },
}

export interface ItemView {
  item: QueueItem
  titleOf: (sessionId: string) => string
  position: { index: number; count: number }
  now: Date
  style: Style
}

export function showItem({ item, titleOf, position, now, style }: ItemView): string[] {
  const { text: heading, paint } = HEADS[item.kind]
  const [first = '', ...others] = item.sessions
  const who = others.length === 0 ? first : `${item.sessions.length} agents`
  const age = formatAge(new Date(item.since), now)
  const limit = item.deadline === null ? '' : `, denied in ${formatAge(now, new Date(item.deadline))}`
  const names = item.sessions.map((id) => `  ${id}  ${toOneLine(titleOf(id))}`)
  return [
    style.dim(`${position.index + 1} of ${position.count}`),
    `${style[paint](`${who} ${heading}`)}  ${style.dim(`${age}${limit}`)}`,
    ...names.map((line) => style.dim(line)),
    '',
    ...toSafeLines(item.matter)
      .split('\n')
      .map((line) => style.bold(line)),
    '',
  ]
}

export function keyLine(item: QueueItem, style: Style): string {
  const acts = item.acts.map((act) => `${style.bold(KEYS[act].key)} ${KEYS[act].text}`)
  return [...acts, `${style.bold('space')} next`, `${style.bold('q')} quit`].join('  ')
}
