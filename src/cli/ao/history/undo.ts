// `ao log` and `ao undo`: what people did to sessions, and taking it back. The histories of the sessions are the log.
import { statSync } from 'node:fs'
import { AoError } from '../../../contract/errors.ts'
import type { SessionEvent } from '../../../contract/events.ts'
import {
  operationsOf,
  PEOPLE_TYPES,
  type PersonOperation,
  type UndoStep,
  undoCommand,
} from '../../../core/session/people-operations.ts'
import { rewoundLines } from '../../../core/session/rewound-lines.ts'
import { requireAnySession } from '../../../manager/observe/require-session.ts'
import { listHistories, scanHistory } from '../../../store/session/history.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { localMinute } from '../../print/local-time.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { renderTable } from '../../print/table.ts'
import { configEditFiles } from '../config/edit-files.ts'
import { type Ao, openAo } from '../open-ao.ts'

const DEFAULT_COUNT = 20

export const logCommand = defineCommand({
  name: 'log',
  about: 'Show what people did to sessions, and what of it can be undone',
  details: 'Newest first. What agents and the loop do is in ao events.',
  args: { session: { about: 'Only this session, archived ones too', completes: 'session' } },
  options: {
    last: { short: 'n', value: 'count', about: `Maximum number (default ${DEFAULT_COUNT})` },
    json: JSON_OPTION,
  },
  json: '{ operations: [{ id, at, sessionId, what, undo, why, isUndone }] }; undo null: why says why not, and what to do instead',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const operations = await readPeople(ao, io, args.session, wholeNumber('--last', options.last) ?? DEFAULT_COUNT)
    if (options.json) return void io.json({ operations })
    if (operations.length === 0) return void io.note('No operations yet.')
    const columns = [
      { title: 'ID', text: ({ id }: PersonOperation) => id },
      { title: 'AT', text: ({ at }: PersonOperation) => localMinute(at), drop: 1 },
      { title: 'WHAT', text: ({ what }: PersonOperation) => toOneLine(what), min: 16 },
      { title: 'UNDO', text: howUndone, min: 16 },
    ]
    io.printLines(renderTable(columns, operations, { width: io.width() }))
  },
})

function howUndone(operation: PersonOperation): string {
  if (operation.undo !== null) return undoCommand(operation)
  return `${operation.isUndone ? '-' : 'no'}: ${operation.why}`
}

export const undoCommandOfAo = defineCommand({
  name: 'undo',
  about: 'Undo what a person did last, or one operation of ao log',
  details:
    'An end, a restore, a rewind, a waiting message, a name, a budget or a setting. Everything else is refused, with the reason and what to do instead.',
  args: { operation: { about: 'Its id in ao log, such as app-3@17 (default: the newest)' } },
  options: { 'dry-run': { about: 'Only say what would be done' }, json: JSON_OPTION },
  examples: [{ line: 'ao undo app-3@17 --dry-run', about: 'What undoing that would do' }],
  json: '{ operation: { id, at, sessionId, what, undo, why, isUndone }, command, dryRun }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const operation = await chooseOperation(ao, io, args.operation)
    if (operation.undo === null) {
      throw new AoError(
        'STATE_REFUSED',
        `${operation.id} (${toOneLine(operation.what)}) cannot be undone: ${operation.why}`,
        {
          hint: 'See what can be undone with: ao log',
          details: { ...operation },
        },
      )
    }
    const command = undoCommand(operation)
    const dryRun = options['dry-run']
    for (const line of dryRun ? [] : await carryOut(ao, io, operation)) io.note(line)
    if (options.json) return void io.json({ operation, command, dryRun })
    io.print(`${dryRun ? 'would undo' : io.style.green('undone')}: ${toOneLine(operation.what)} (${operation.id})`)
    io.print(`  as by: ${command}`)
  },
})

/** Returns what it was, and what there is to know about how it went. Refused where that is no longer possible. */
export async function undoOperation(ao: Ao, io: Io, id: string): Promise<string[]> {
  const operation = await chooseOperation(ao, io, id)
  if (operation.undo === null) throw new AoError('STATE_REFUSED', `${id} cannot be undone: ${operation.why}`)
  return [operation.what, ...(await carryOut(ao, io, operation))]
}

async function chooseOperation(ao: Ao, io: Io, id: string | undefined): Promise<PersonOperation> {
  const [, session] = /^(.+)@\d+$/.exec(id ?? '') ?? []
  if (id !== undefined && id !== SETTINGS && session === undefined)
    throw new AoError('USAGE', `${id} is not an operation`, { hint: 'Its id in ao log, as in: ao undo app-3@17' })
  const found = await readPeople(ao, io, session, id === undefined ? DEFAULT_COUNT : Number.POSITIVE_INFINITY)
  const chosen = found.find((one) => (id === undefined ? !one.isUndone : one.id === id))
  if (chosen) return chosen
  throw new AoError('USAGE', id === undefined ? 'There is nothing to undo' : `There is no operation ${id}`, {
    hint: 'See what people did with: ao log',
  })
}

/** Returns what there is to know about how it went: on the terminal board nobody else may print. */
async function carryOut(ao: Ao, io: Io, operation: PersonOperation): Promise<string[]> {
  const { sessionId, undo } = operation
  if (undo?.do === 'rewind')
    return rewoundLines(await ao.manager.rewind(sessionId, { to: undo.turn, filesOnly: undo.filesOnly })).map(toOneLine)
  await change(ao, io, sessionId, undo!)
  return []
}

async function change(
  { manager, config }: Ao,
  io: Io,
  sessionId: string,
  undo: Exclude<UndoStep, { do: 'rewind' }>,
): Promise<unknown> {
  switch (undo.do) {
    case 'settings': {
      const { undoEdit } = await import('../../../config/edit/save-edit.ts')
      return undoEdit({ configPath: config.configPath, ...configEditFiles(io)(config.configPath) })
    }
    case 'restore':
      return manager.restore(sessionId)
    case 'kill':
      return manager.kill(sessionId, { keepWorkspace: true })
    case 'withdraw':
      return manager.changeWaiting(sessionId, undo.messageId, null)
    case 'rename':
      return manager.rename(sessionId, undo.title)
    case 'budget':
      return manager.setBudget(sessionId, undo.usd)
  }
}

const SETTINGS = 'settings'

/** What people did, the newest first. */
export async function readPeople(
  ao: Ao,
  io: Io,
  session: string | undefined,
  last: number,
): Promise<PersonOperation[]> {
  const settings = session === undefined ? await lastSetting(ao, io) : []
  const all = [...settings, ...(await readOperations(ao, session, last))]
  return all.toSorted((one, other) => (one.at < other.at ? 1 : -1)).slice(0, last)
}

/** Only the newest one says when it was. */
async function lastSetting({ config: { configPath } }: Ao, io: Io): Promise<PersonOperation[]> {
  const { canUndo } = await import('../../../config/edit/save-edit.ts')
  const files = configEditFiles(io)(configPath)
  if (!canUndo({ configPath, ...files })) return []
  const at = statSync(files.kept).mtime.toISOString()
  const what = `settings: ${configPath}`
  return [{ id: SETTINGS, at, sessionId: '-', what, undo: { do: 'settings' }, why: null, isUndone: false }]
}

/** Newest first. Of many histories only those are read that may have one of the newest. */
async function readOperations(ao: Ao, session: string | undefined, last: number): Promise<PersonOperation[]> {
  const stores =
    session === undefined
      ? Object.keys(ao.config.projects).map((id) => ao.context.store(id))
      : [(await requireAnySession(ao.context, session)).store]
  const histories = stores
    .flatMap((store) => {
      store.list()
      return (session === undefined ? listHistories(store.paths) : [session]).map((id) => ({ paths: store.paths, id }))
    })
    .map((one) => ({
      ...one,
      changedAt: statSync(one.paths.historyFile(one.id), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .toSorted((one, other) => other.changedAt - one.changedAt)
  let found: PersonOperation[] = []
  for (const { paths, id, changedAt } of histories) {
    const oldest = found.length < last ? undefined : found.at(-1)
    if (oldest && Date.parse(oldest.at) > changedAt) break
    const events: SessionEvent[] = []
    scanHistory(paths, id, { from: 0, types: PEOPLE_TYPES }, (event) => events.push(event))
    found = [...found, ...operationsOf(events)].toSorted((one, other) => (one.at < other.at ? 1 : -1)).slice(0, last)
  }
  return found
}
