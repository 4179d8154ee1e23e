// What a key of the terminal board opens: read first, then shown. Texts of agents, made harmless where they are drawn.
import type { SearchHit } from '../../../contract/dashboard/search.ts'
import type { Entry, Mode, Opening } from '../../../core/board/board-state.ts'
import { undoCommand } from '../../../core/session/people-operations.ts'
import type { Io } from '../../print/io.ts'
import { localMinute } from '../../print/local-time.ts'
import type { Ao } from '../open-ao.ts'
import { readDiff } from './read-details.ts'

const MOST_OPERATIONS = 20

export interface Opened {
  mode: Mode
  note: string
}

/** `isListed`: the board has a card of this session. */
export async function readOpening(
  ao: Ao,
  io: Io,
  opening: Opening,
  isListed: (sessionId: string) => boolean,
): Promise<Opened> {
  switch (opening.kind) {
    case 'diff': {
      const text = (await readDiff(ao, opening.sessionId)) || 'Nothing changed yet.'
      return { mode: { kind: 'page', title: `diff of ${opening.sessionId}`, text, top: 0 }, note: '' }
    }
    case 'search': {
      const { findWords } = await import('../../../dashboard/sessions/find-words.ts')
      const { hits, problem, isWhole } = await findWords(ao.context, opening.text)
      const note = problem ?? (isWhole ? '' : 'The index is still being made: search again for the rest.')
      return {
        mode: picking(
          `search: ${opening.text}`,
          hits.map((hit) => entryOfHit(hit, isListed)),
        ),
        note,
      }
    }
    case 'turns':
      return { mode: picking(`turns of ${opening.sessionId}`, await turnEntries(ao, opening.sessionId)), note: '' }
    case 'log':
      return { mode: picking('what people did', await operationEntries(ao, io)), note: '' }
  }
}

function picking(title: string, entries: readonly Entry[]): Mode {
  return { kind: 'pick', title, entries, index: 0 }
}

/** One that is on the board is read and replied to. */
function entryOfHit(
  { sessionId, agent, status, title, kind, at, excerpt }: SearchHit,
  isListed: (id: string) => boolean,
): Entry {
  const what = `${sessionId} ${at === null ? '' : `${localMinute(at)} `}${kind}: ${excerpt}`
  if (isListed(sessionId)) return { what, opens: { kind: 'peek', sessionId, text: '', top: Number.MAX_SAFE_INTEGER } }
  const text = `${title}\n${agent}, ${status}\n\n${kind}${at === null ? '' : ` at ${localMinute(at)}`}:\n${excerpt}\n\nRead on with: ao session transcript ${sessionId}`
  return { what, opens: { kind: 'page', title: sessionId, text, top: 0 } }
}

async function turnEntries(ao: Ao, sessionId: string): Promise<Entry[]> {
  const turns = await ao.manager.turns(sessionId)
  return turns.toReversed().map(({ turn, at, text, commit, why, left }): Entry => {
    const about = `${localMinute(at)}: ${text}`
    const without = left > 0 ? ` (without ${left} files)` : ''
    if (commit === null)
      return { what: `turn ${turn}, ${about} (not saved)`, opens: `Turn ${turn} was not saved: ${why}` }
    const change = { kind: 'rewind' as const, sessionId, turn, about }
    return { what: `turn ${turn}, ${about}${without}`, opens: { kind: 'confirm', change, drawn: null } }
  })
}

async function operationEntries(ao: Ao, io: Io): Promise<Entry[]> {
  const { readPeople } = await import('../history/undo.ts')
  const operations = await readPeople(ao, io, undefined, MOST_OPERATIONS)
  return operations.map((operation): Entry => {
    const { id, sessionId, what, why, undo } = operation
    if (undo === null) return { what: `${id} ${what} (not to be undone)`, opens: `${id}: ${why}` }
    const change = { kind: 'undo' as const, sessionId, operation: id, what, command: undoCommand(operation) }
    return { what: `${id} ${what}`, opens: { kind: 'confirm', change, drawn: null } }
  })
}
