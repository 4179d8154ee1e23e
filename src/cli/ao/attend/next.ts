// `ao next`: what waits for you, one item at a time, one key each.
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import type { NeedAct, NeedKind } from '../../../contract/dashboard/needs.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { describeQueue, NEED_WORDS } from '../../../core/queue/describe-queue.ts'
import { type QueueItem, rankQueue } from '../../../core/queue/rank-queue.ts'
import { describeRisk } from '../../../core/review/judge-risk.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import type { Paint, Style } from '../../print/style.ts'
import { type Ao, openAo } from '../open-ao.ts'
import { actOnItem } from './act-on-item.ts'
import { discardTyped, readKey, readLine } from './read-key.ts'
import { readNeeds } from './read-needs.ts'

export const nextCommand = defineCommand({
  name: 'next',
  about: 'Work through what needs you, one item at a time',
  details:
    'Permissions first, by their deadline; then questions, errors, finished turns, reviews and merges. Each key acts at once; space leaves an item for later. Without a terminal the whole list is printed.',
  options: { json: JSON_OPTION },
  json: '{ items: [{ key, kind, matter, cause, since, deadline, acts, why?, sessions: [{ id, title }] }] }',
  async run({ options }, io) {
    const ao = await openAo(io)
    const cards = await readNeeds(ao)
    if (options.json) return void io.json({ items: describeQueue(cards, io.clock.now().getTime()) })
    if (io.isTerminal && io.stdin.isTTY) await goThrough(ao, cards, io)
    else printAll(cards, io)
  },
})

function printAll(cards: readonly SessionCard[], io: Io): void {
  const queue = rankQueue(cards, io.clock.now().getTime())
  if (queue.length === 0) return void io.print('Nothing needs you.')
  for (const [index, item] of queue.entries()) io.printLines(linesOf(item, cards, { index, count: queue.length }, io))
}

async function goThrough(ao: Ao, first: SessionCard[], io: Io): Promise<void> {
  const skipped = new Set<string>()
  for (let cards = first; ; cards = await readNeeds(ao)) {
    const queue = rankQueue(cards, io.clock.now().getTime())
    const index = queue.findIndex(({ key }) => !skipped.has(key))
    const item = queue[index]
    if (!item) return void io.print(skipped.size === 0 ? 'Nothing needs you.' : 'That was all; the rest can wait.')
    await discardTyped(io)
    io.printLines([...linesOf(item, cards, { index, count: queue.length }, io), keyLine(item, io.style)])
    const key = await readKey(io)
    if (key === 'q') return
    const act = item.acts.find((one) => KEYS[one].key === key)
    if (act) await tryAct(ao, act, { item, cards }, io)
    // An unknown key shows the item again; everything else goes on to the next.
    if (act || key === ' ' || key === '\r' || key === 'j') skipped.add(item.key)
    io.print()
  }
}

/** What is asked for before some acts. */
const PROMPTS: Partial<Record<QueueItem['acts'][number], (card: SessionCard) => string>> = {
  answer: ({ id }) => `answer ${id}: `,
  raise: ({ id, spent }) => `${id} may cost in all, in US dollars (it has used ${spent?.costUsd?.toFixed(2) ?? '?'}): `,
}

async function tryAct(
  ao: Ao,
  act: QueueItem['acts'][number],
  { item, cards }: { item: QueueItem; cards: readonly SessionCard[] },
  io: Io,
): Promise<void> {
  const card = cards.find(({ id }) => id === item.sessions[0])
  if (!card) return
  const prompt = PROMPTS[act]?.(card)
  const text = prompt === undefined ? '' : await readLine(io, prompt)
  if (prompt !== undefined && text === '') return void io.print('nothing sent')
  try {
    io.print(`${io.style.bold(card.id)}: ${toOneLine(await actOnItem(ao, { act, item, card, text }, io))}`)
  } catch (error) {
    io.note(`${io.noteStyle.red('error:')} ${errorText(error)}`)
    if (error instanceof AoError && error.hint) io.note(`hint: ${error.hint}`)
  }
}

function linesOf(
  item: QueueItem,
  cards: readonly SessionCard[],
  position: { index: number; count: number },
  { clock, style }: Io,
): string[] {
  const byId = new Map(cards.map((card) => [card.id, card]))
  const isOfPull = item.kind === 'review' || item.kind === 'merge'
  const risk = isOfPull ? byId.get(item.sessions[0] ?? '')?.risk : undefined
  return showItem({ item, risk, titleOf: (id) => byId.get(id)?.title ?? id, position, now: clock.now(), style })
}

const PAINTS: Record<NeedKind, Paint> = {
  permission: 'yellow',
  question: 'yellow',
  error: 'red',
  finished: 'green',
  review: 'magenta',
  merge: 'green',
}

/** One key each; the same key never means two things in one item. */
const KEYS: Record<NeedAct, { key: string; text: string }> = {
  allow: { key: 'y', text: 'allow once' },
  reject: { key: 'n', text: 'reject' },
  answer: { key: 'a', text: 'answer' },
  sign_in: { key: 'o', text: 'attach and sign in' },
  retry: { key: 'r', text: 'retry' },
  raise: { key: 'u', text: 'raise its budget and continue' },
  restore: { key: 'b', text: 'bring it back' },
  hand_in: { key: 'p', text: 'ask for a pull request' },
  start: { key: 's', text: 'start it now' },
  ask_again: { key: 'g', text: 'let it ask again' },
  done: { key: 'd', text: 'mark done' },
  snooze: { key: 'z', text: 'snooze for an hour' },
  review: { key: 'v', text: 'view the diff' },
  merge: { key: 'm', text: 'merge' },
}

interface ItemView {
  item: QueueItem
  titleOf: (sessionId: string) => string
  risk: SessionCard['risk']
  position: { index: number; count: number }
  now: Date
  style: Style
}

/** One item of the queue as text: what it is about in full, then the keys. Lines only, no I/O. */
function showItem({ item, titleOf, risk, position, now, style }: ItemView): string[] {
  const [first = '', ...others] = item.sessions
  const who = others.length === 0 ? first : `${item.sessions.length} agents`
  const age = formatAge(new Date(item.since), now)
  const limit = item.deadline === null ? '' : `, denied in ${formatAge(now, new Date(item.deadline))}`
  const names = item.sessions.map((id) => `  ${id}  ${toOneLine(titleOf(id))}`)
  return [
    style.dim(`${position.index + 1} of ${position.count}`),
    `${style[PAINTS[item.kind]](`${who} ${NEED_WORDS[item.kind]}`)}  ${style.dim(`${age}${limit}`)}`,
    ...names.map((line) => style.dim(line)),
    ...[item.why, risk && describeRisk(risk)].flatMap((line) => (line ? [style.dim(`  ${toOneLine(line)}`)] : [])),
    '',
    ...toSafeLines(item.matter)
      .split('\n')
      .map((line) => style.bold(line)),
    '',
  ]
}

function keyLine(item: QueueItem, style: Style): string {
  const acts = item.acts.map((act) => `${style.bold(KEYS[act].key)} ${KEYS[act].text}`)
  return [...acts, `${style.bold('space')} next`, `${style.bold('q')} quit`].join('  ')
}
