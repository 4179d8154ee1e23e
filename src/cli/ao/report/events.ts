// `ao events`: what happened to the sessions, in order; with --follow also future events.

import { mkdirSync } from 'node:fs'
import { AoError } from '../../../contract/errors.ts'
import type { SessionEvent } from '../../../contract/events.ts'
import { OWN_SESSION } from '../../../core/boundary/rights.ts'
import { describeEvent } from '../../../core/status/describe-event.ts'
import { orderEvents } from '../../../core/status/order-events.ts'
import { watchIfPossible } from '../../../lib/watch-if-possible.ts'
import { requireAnySession } from '../../../manager/observe/require-session.ts'
import type { ProjectPaths } from '../../../store/paths.ts'
import { listHistories } from '../../../store/session/history.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { localTime } from '../../print/local-time.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { requireProject } from '../choose-project.ts'
import { type Ao, openAo } from '../open-ao.ts'

const DEFAULT_COUNT = 50

export const eventsCommand = defineCommand({
  name: 'events',
  inside: OWN_SESSION,
  about: 'Show what happened to the sessions, and follow what happens',
  details: 'Each session numbers its events from 1 without gaps; --after <n> continues where a reader stopped.',
  args: { session: { about: 'Only this session, archived ones too', completes: 'session' } },
  options: {
    follow: { short: 'f', about: 'Keep printing new events' },
    after: { value: 'number', about: 'Only events with a higher number; needs a session' },
    last: { short: 'n', value: 'count', about: `Maximum number (default ${DEFAULT_COUNT}; all with --after)` },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ events: [{ seq, at, sessionId, type, … }] }; with --follow one event a line',
  async run({ args, options }, io) {
    const after = wholeNumber('--after', options.after)
    if (after !== undefined && args.session === undefined) {
      throw new AoError('USAGE', '--after counts the events of one session', {
        hint: 'ao events <session> --after <n>',
      })
    }
    const ao = await openAo(io)
    const source = await openSource(ao, args.session, options.project)
    const last = wholeNumber('--last', options.last) ?? (after === undefined ? DEFAULT_COUNT : undefined)
    const shown = source.read({ after, last })
    if (!options.follow && options.json) return void io.json({ events: shown })
    const print = options.json ? printJson(io) : printText(io, args.session === undefined)
    for (const event of shown) print(event)
    if (options.follow) await follow(source, print, io)
  },
})

interface Source {
  projects: ProjectPaths[]
  /** Events that were not returned before, in time order; at most the `last` ones. */
  read(wanted?: { after?: number | undefined; last?: number | undefined }): SessionEvent[]
}

async function openSource(ao: Ao, sessionId: string | undefined, project: string | undefined): Promise<Source> {
  const only = project === undefined ? Object.keys(ao.config.projects) : [requireProject(ao.config, project).id]
  const stores =
    sessionId === undefined
      ? only.map((id) => ao.context.store(id))
      : [(await requireAnySession(ao.context, sessionId)).store]
  // Even where there is no history yet: the data may belong to another configuration.
  for (const store of stores) store.list()
  const given = new Map<string, number>()
  return {
    projects: stores.map(({ paths }) => paths),
    read({ after = 0, last } = {}) {
      const histories = stores.flatMap((store) =>
        (sessionId === undefined ? listHistories(store.paths) : [sessionId]).map((id) => {
          const bound = last === undefined ? {} : { last }
          const { events: fresh } = store.readHistory(id, { after: given.get(id) ?? after, ...bound })
          given.set(id, fresh.at(-1)?.seq ?? given.get(id) ?? after)
          return fresh
        }),
      )
      const inOrder = orderEvents(histories)
      return last === undefined ? inOrder : inOrder.slice(Math.max(0, inOrder.length - last))
    },
  }
}

const SETTLE_MS = 10
/** A watch can miss changes on some disks, and may not be available at all. */
const POLL_MS = 2_000

async function follow(source: Source, print: (event: SessionEvent) => void, io: Io): Promise<void> {
  let isDue = false
  const readNew = () => {
    isDue = false
    for (const event of source.read()) print(event)
  }
  const readNewSoon = () => {
    if (!isDue) setTimeout(readNew, SETTLE_MS)
    isDue = true
  }
  const watchers = source.projects.map(({ history }) => {
    mkdirSync(history, { recursive: true, mode: 0o700 })
    return watchIfPossible(history, readNewSoon)
  })
  const regularly = setInterval(readNewSoon, POLL_MS)
  // Events written between the first reading and the watch.
  readNew()
  await new Promise<void>((resolve) => {
    io.stopped.addEventListener('abort', () => resolve(), { once: true })
    io.onInterrupt(resolve)
  })
  clearInterval(regularly)
  for (const watcher of watchers) watcher?.close()
}

function printJson(io: Io): (event: SessionEvent) => void {
  return (event) => io.write(`${JSON.stringify(event)}\n`)
}

function printText(io: Io, withSession: boolean): (event: SessionEvent) => void {
  return (event) => {
    const at = io.style.dim(localTime(event.at))
    const session = withSession ? `${io.style.bold(event.sessionId)} ` : ''
    io.print(`${at}  ${session}${io.style.dim(`#${event.seq}`)} ${toOneLine(describeEvent(event))}`)
  }
}
