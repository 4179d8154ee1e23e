// What the terminal board says about one row, in full, and the texts that open over its lists. All of it harmless for a terminal.
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import type { BoardRow } from '../../../core/board/board-rows.ts'
import type { Confirmed, Mode } from '../../../core/board/board-state.ts'
import { NEED_WORDS } from '../../../core/queue/describe-queue.ts'
import { describeRequest } from '../../../core/queue/describe-request.ts'
import { commandText } from '../../../core/queue/read-input.ts'
import { formatCost } from '../../../core/text/format-age.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import { toOneLine, toSafeLines, wrapColumns } from '../../print/plain-text.ts'
import type { SessionDetails } from './read-details.ts'

interface Shown {
  cards: ReadonlyMap<string, SessionCard>
  details: SessionDetails | null
}

const CONTINUES = '↪ '
const BEGINS = '  '

/** A line that goes on in the next is told apart from two lines: nothing in it can look like the other. */
export function linesOf(line: string, width: number): string[] {
  const room = Math.max(1, width - CONTINUES.length)
  return wrapColumns(line, room).map((piece, index) => `${index === 0 ? BEGINS : CONTINUES}${piece}`)
}

/** A tab has no certain width. */
function textLines(text: string): string[] {
  return toSafeLines(text).replaceAll('\t', '    ').split('\n')
}

/** The most important first: the preview may be cut. */
export function detailLines({ sessionId, about }: BoardRow, { cards, details }: Shown): string[] {
  const card = sessionId === null ? undefined : cards.get(sessionId)
  if (card === undefined) return [toOneLine(about)]
  const { need, title, lastMessage, evidence, paused } = card
  const own = details?.sessionId === card.id ? details : null
  const spoken = lastMessage ?? own?.screen.split('\n').slice(-8).join('\n') ?? ''
  return [
    toOneLine(`${title} · ${factsOf(card)}`),
    ...(paused === null ? [] : [toOneLine(`paused ${paused.why}; ${paused.resumes}`)]),
    ...(need === null ? [] : [`${card.id} ${NEED_WORDS[need.kind]}:`, ...textLines(need.matter)]),
    ...(own === null ? [] : [toOneLine(`change: ${own.change}`)]),
    ...(spoken === '' || spoken.trim() === need?.matter.trim() ? [] : ['', ...textLines(spoken)]),
    ...(need === null && evidence.length > 0 ? [toOneLine(`why: ${evidence.join('; ')}`)] : []),
  ]
}

function factsOf(card: SessionCard): string {
  return [card.agent, card.branch, card.pr?.url, card.model, formatCost(card.spent?.costUsd || null)]
    .filter(Boolean)
    .join(' · ')
}

/** `end` stays at the bottom, whatever is scrolled above. */
interface Opened {
  title: string
  text: string[]
  end: string[]
}

/** Not texts that are open. */
export type Listing = 'list' | 'filter' | 'help' | 'palette' | 'search' | 'pick'

export function openedLines(mode: Exclude<Mode, { kind: Listing }>, shown: Shown): Opened {
  switch (mode.kind) {
    case 'ask': {
      const { sessionId, request } = mode
      const isPending = shown.cards.get(sessionId)?.permissions.some(({ requestId }) => requestId === request.requestId)
      const options = request.options.map(({ name }, index) => `${index + 1} ${visibleLine(name)}`)
      return {
        title: `${sessionId} asks for permission`,
        text: describeRequest(request).map((line) => line.replaceAll('\t', '⟨U+0009⟩')),
        end: isPending ? options : ['This is no longer asked.'],
      }
    }
    case 'peek': {
      const { sessionId, text, review } = mode
      const card = shown.cards.get(sessionId)
      const { screen = '', change = '' } = shown.details?.sessionId === sessionId ? shown.details : {}
      const texts = [card?.need?.matter, card?.lastMessage, screen].map((one) => one?.trim()).filter(Boolean)
      const lines = [...new Set(texts)].flatMap((one) => [...textLines(one!), ''])
      return {
        title: review
          ? toOneLine(`changes of ${sessionId} at ${review.sha.slice(0, 12)}: ${review.name}`)
          : `to ${sessionId}`,
        text: [...lines, ...(change === '' ? [] : [toOneLine(`change: ${change}`)])],
        end: visibleText(`${review ? 'what has to change' : 'reply'}: ${text}_`)
          .replaceAll('\t', '    ')
          .split('\n'),
      }
    }
    case 'confirm':
      return { title: mode.change.sessionId, text: confirmLines(mode.change, shown), end: [] }
    case 'page':
      return { title: mode.title, text: textLines(mode.text), end: [] }
  }
}

function confirmLines(change: Confirmed, { cards }: Shown): string[] {
  const title = toOneLine(cards.get(change.sessionId)?.title ?? '')
  if (change.kind === 'merge' || change.kind === 'approve') {
    const { pr } = cards.get(change.sessionId) ?? {}
    // Of another head they would speak for this one.
    const isOfHead = pr?.headSha === change.sha && pr.url === change.url
    const verb = change.kind === 'merge' ? 'Merge' : 'Approve'
    return [
      toOneLine(`${verb} the pull request of ${change.sessionId} at ${change.sha.slice(0, 12)}?`),
      toOneLine(change.name),
      toOneLine(`${change.url}${isOfHead ? ` · checks: ${pr.ci} · review: ${pr.review.replace('_', ' ')}` : ''}`),
    ]
  }
  if (change.kind === 'own')
    return [`Run ${change.name} for ${change.sessionId}?`, visibleLine(commandText(change.argv))]
  if (change.kind === 'rewind')
    return [
      `Go back to before turn ${change.turn} of ${change.sessionId}?`,
      toOneLine(change.about),
      'Its present files are saved first; u undoes it.',
    ]
  if (change.kind === 'undo')
    return [toOneLine(`Undo ${change.operation}: ${change.what}?`), toOneLine(`as by: ${change.command}`)]
  return [`${QUESTIONS[change.kind]} ${change.sessionId}?`, title]
}

const QUESTIONS: Record<'kill' | 'interrupt' | 'restore', string> = {
  kill: 'End the agent, and keep the work, of',
  interrupt: 'Stop the turn of',
  restore: 'Bring back',
}

export const HELP: readonly string[] = [
  '1-4, tab        queue, sessions, pull requests, train',
  'arrows, j k     choose; g G first and last; page up and down',
  '/               find: letters in their order are enough; esc clears',
  'enter           attach to the session; leaving it comes back here',
  'space           read it and reply; a request for permission opens in full',
  'a               reply, also while it asks',
  'y n             open the request; y or n there answers exactly that one',
  'v               the diff',
  'm               merge the pull request at the head that is shown',
  'o c             approve the head that is shown, or say what has to change in it',
  'i               stop the turn; the agent stays',
  'x               end the agent; its work is kept',
  'b               bring an ended session back, or start one that waits',
  's               search what sessions said and did; enter opens what was found',
  't u             turns to go back to; what people did, to undo it',
  'p z             pin it to the top of the sessions; snooze what it needs for an hour',
  '!               stop every agent where it is (ao pause); again: all go on',
  ':, ctrl-p       all actions, found by typing; enter does the chosen one',
  'A-Z             your own actions (actions: in the configuration)',
  'q, ctrl-c       quit; the agents go on',
]
