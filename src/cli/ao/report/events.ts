// `ao events`: what happened to the sessions, in order; with --follow also what happens from now on.
import { mkdirSync } from 'node:fs'
import { AoError } from '../../../contract/errors.ts'
import type { SessionEvent } from '../../../contract/events.ts'
import { describeEvent } from '../../../core/status/describe-event.ts'
import { watchIfPossible } from '../../../lib/watch-if-possible.ts'
import type { ProjectPaths } from '../../../store/paths.ts'
import { listHistories, readHistory } from '../../../store/session/history.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { requireProject } from '../choose-project.ts'
import { findAnySession } from '../find-any-session.ts'
import { type Ao, openAo } from '../open-ao.ts'

const DEFAULT_COUNT = 50

export const eventsCommand = defineCommand({
  name: 'events',
  about: 'Show what happened to the sessions, and follow what happens',
  details: 'Each session numbers its events from 1 without gaps; --after <n> goes on where a reader stopped.',
  args: { session: { about: 'Only this session, archived ones too', completes: 'session' } },
  options: {
    follow: { short: 'f', about: 'Stay and print what happens' },
    after: { value: 'number', about: 'Only events with a higher number; needs a session' },
    last: { short: 'n', value: 'count', about: `How many at most (${DEFAULT_COUNT}; all with --after)` },
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
    const source = await openSource(ao, args.session, options.project, io)
    const all = source.read(after ?? 0)
    const most = wholeNumber('--last', options.last) ?? (after === undefined ? DEFAULT_COUNT : all.length)
    const shown = all.slice(Math.max(0, all.length - most))
    if (!options.follow && options.json) return void io.json({ events: shown })
    const print = options.json ? printJson(io) : printText(io, args.session === undefined)
    for (const event of shown) print(event)
    if (options.follow) await follow(source, print, io)
  },
})

interface Source {
  projects: ProjectPaths[]
  /** Events that were not given before, in the order of time. */
  read(after: number): SessionEvent[]
}

async function openSource(ao: Ao, sessionId: string | undefined, project: string | undefined, io: Io): Promise<Source> {
  const only = project === undefined ? Object.keys(ao.config.projects) : [requireProject(ao.config, project).id]
  const projects =
    sessionId === undefined
      ? only.map((id) => ao.paths.project(id))
      : [(await findAnySession(ao, sessionId, io)).store.paths]
  const given = new Map<string, number>()
  return {
    projects,
    read(after) {
      const events = projects.flatMap((paths) =>
        (sessionId === undefined ? listHistories(paths) : [sessionId]).flatMap((id) => {
          const { events: fresh } = readHistory(paths, id, { after: given.get(id) ?? after })
          const last = fresh.at(-1)
          if (last) given.set(id, last.seq)
          return fresh
        }),
      )
      return events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.seq - b.seq))
    },
  }
}

const SETTLE_MS = 10
/** A watch can miss what happens on some disks, and may not be had at all. */
const LOOK_MS = 2_000

async function follow(source: Source, print: (event: SessionEvent) => void, io: Io): Promise<void> {
  let isDue = false
  const look = () => {
    isDue = false
    for (const event of source.read(0)) print(event)
  }
  const lookSoon = () => {
    if (!isDue) setTimeout(look, SETTLE_MS)
    isDue = true
  }
  const watchers = source.projects.map(({ history }) => {
    mkdirSync(history, { recursive: true, mode: 0o700 })
    return watchIfPossible(history, lookSoon)
  })
  const regularly = setInterval(lookSoon, LOOK_MS)
  // What was written between the first reading and the watch.
  look()
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
    const at = io.style.dim(event.at.replace('T', ' ').slice(0, 19))
    const session = withSession ? `${io.style.bold(event.sessionId)} ` : ''
    io.print(`${at}  ${session}${io.style.dim(`#${event.seq}`)} ${toOneLine(describeEvent(event))}`)
  }
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (Number.isInteger(number) && number >= 0) return number
  throw new AoError('USAGE', `${option} takes a whole number, not ${text}`)
}
