// One item of the queue as text: what it is about in full, then the keys. Lines only, no I/O.
import type { NeedAct, NeedKind } from '../../../contract/dashboard/needs.ts'
import type { QueueItem } from '../../../core/queue/rank-queue.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import type { Paint, Style } from '../../print/style.ts'

const HEADS: Record<NeedKind, { words: string; paint: Paint }> = {
  permission: { words: 'asks for permission', paint: 'yellow' },
  question: { words: 'asks', paint: 'yellow' },
  error: { words: 'cannot continue', paint: 'red' },
  finished: { words: 'has finished its turn', paint: 'green' },
  review: { words: 'has a pull request to review', paint: 'magenta' },
  merge: { words: 'can be merged', paint: 'green' },
}

/** One key each; the same key never means two things in one item. */
export const KEYS: Record<NeedAct, { key: string; words: string }> = {
  allow: { key: 'y', words: 'allow once' },
  reject: { key: 'n', words: 'reject' },
  answer: { key: 'a', words: 'answer' },
  sign_in: { key: 'o', words: 'attach and sign in' },
  retry: { key: 'r', words: 'retry' },
  raise: { key: 'u', words: 'raise its budget and continue' },
  restore: { key: 'b', words: 'bring it back' },
  hand_in: { key: 'p', words: 'ask for a pull request' },
  ask_again: { key: 'g', words: 'let it ask again' },
  done: { key: 'd', words: 'mark done' },
  snooze: { key: 'z', words: 'snooze for an hour' },
  review: { key: 'v', words: 'view the diff' },
  merge: { key: 'm', words: 'merge' },
}

export interface ItemView {
  item: QueueItem
  titleOf: (sessionId: string) => string
  position: { index: number; count: number }
  now: Date
  style: Style
}

export function showItem({ item, titleOf, position, now, style }: ItemView): string[] {
  const { words, paint } = HEADS[item.kind]
  const [first = '', ...others] = item.sessions
  const who = others.length === 0 ? first : `${item.sessions.length} agents`
  const age = formatAge(new Date(item.since), now)
  const limit = item.deadline === null ? '' : `, denied in ${formatAge(now, new Date(item.deadline))}`
  const names = item.sessions.map((id) => `  ${id}  ${toOneLine(titleOf(id))}`)
  return [
    style.dim(`${position.index + 1} of ${position.count}`),
    `${style[paint](`${who} ${words}`)}  ${style.dim(`${age}${limit}`)}`,
    ...names.map((line) => style.dim(line)),
    '',
    ...toSafeLines(item.matter)
      .split('\n')
      .map((line) => style.bold(line)),
    '',
  ]
}

export function keyLine(item: QueueItem, style: Style): string {
  const acts = item.acts.map((act) => `${style.bold(KEYS[act].key)} ${KEYS[act].words}`)
  return [...acts, `${style.bold('space')} next`, `${style.bold('q')} quit`].join('  ')
}
