// `ao next`: what waits for you, one item at a time, one key each.
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { describeQueue } from '../../../core/queue/describe-queue.ts'
import { type QueueItem, rankQueue } from '../../../core/queue/rank-queue.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { type Ao, openAo } from '../open-ao.ts'
import { actOnItem } from './act-on-item.ts'
import { discardTyped, readKey, readLine } from './read-key.ts'
import { readNeeds } from './read-needs.ts'
import { KEYS, keyLine, showItem } from './show-item.ts'

export const nextCommand = defineCommand({
  name: 'next',
  about: 'Work through what needs you, one item at a time',
  details:
    'Permissions come first, by their deadline; then questions, errors, finished turns, reviews and merges, the oldest first.\nAgents that cannot continue for the same reason are one item. Each key acts at once; space leaves an item for later.\nWithout a terminal the whole list is printed. The page shows the same list as its queue.',
  args: {},
  options: { json: JSON_OPTION },
  json: '{ items: [{ key, kind, matter, cause, since, deadline, acts, sessions: [{ id, title }] }] }',
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
  if (queue.length === 0) return void io.print('Nobody waits for you.')
  for (const [index, item] of queue.entries()) io.printLines(linesOf(item, cards, { index, count: queue.length }, io))
}

async function goThrough(ao: Ao, first: SessionCard[], io: Io): Promise<void> {
  const skipped = new Set<string>()
  for (let cards = first; ; cards = await readNeeds(ao)) {
    const queue = rankQueue(cards, io.clock.now().getTime())
    const index = queue.findIndex(({ key }) => !skipped.has(key))
    const item = queue[index]
    if (!item) return void io.print(skipped.size === 0 ? 'Nobody waits for you.' : 'That was all; the rest can wait.')
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
  const titles = new Map(cards.map(({ id, title }) => [id, title]))
  return showItem({ item, titleOf: (id) => titles.get(id) ?? id, position, now: clock.now(), style })
}
