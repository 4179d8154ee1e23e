// The connection of a command to the daemon: found, or started; found again when it ends meanwhile, unless a person stopped
// it. What is read through it continues after the last event that arrived.
import { type AskArguments, type Frame, followFrames } from '../../agh/client.ts'
import type { AghPaths } from '../../agh/paths.ts'
import { parseSessionEvent, type SessionEvent, TURN_ENDS } from '../../contract/agh/events.ts'
import { AoError } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import type { Io } from '../print/io.ts'

type Prompt = AskArguments<'POST /api/sessions/:id/prompt'>[0]
type Stream = AskArguments<'GET /api/sessions/:id/stream'>[0]

export interface Link {
  paths: AghPaths
  io: Io
  note(line: string): void
  /** A daemon has answered this command: if it is gone now, it was stopped or died. */
  met: boolean
  /** The daemon is older than this command, and that has been said. */
  isOlder: boolean
}

/** An agent says which session it is of. */
export function signatureOf({ io }: Link): Record<string, string> {
  const token = io.env.AGH_SESSION_TOKEN
  return token ? { 'x-agh-session-token': token } : {}
}

/** Refused before anything was sent, so it can be sent again. */
export async function withDaemon<T>(link: Link, act: () => Promise<T>): Promise<T> {
  try {
    return await meet(link, act)
  } catch (error) {
    if (!isNotRunning(error)) throw error
    await (link.met ? reconnect(link) : start(link))
    return meet(link, act)
  }
}

async function meet<T>(link: Link, act: () => Promise<T>): Promise<T> {
  const result = await act()
  link.met = true
  return result
}

async function start({ paths, io, note }: Link): Promise<void> {
  const { startDaemon } = await import('../../agh/daemon/start-daemon.ts')
  const { http_problem } = await startDaemon(paths, io.env)
  if (http_problem !== null) note(`The agh daemon has its socket only: ${http_problem}`)
}

const RETRY_MS = 100
/** How long a daemon that left its agents at work may be without a successor. */
const NEXT_MS = 5_000

/**
 * A daemon that died is started again and continues or repairs its sessions; one that left them to the next is waited for; one
 * that was stopped stays stopped.
 */
export async function reconnect(link: Link): Promise<void> {
  const { steadyStatus } = await import('../../agh/daemon/daemon-status.ts')
  const { daemonProcess, isRestarting } = await import('../../agh/daemon/daemon-file.ts')
  link.note('The connection to the agh daemon was lost; connecting again')
  for (let seen = performance.now(); ; await sleep(RETRY_MS)) {
    if (await steadyStatus(link.paths)) return
    const state = daemonProcess(link.paths)
    if (state === 'none') throw stopped()
    if (state === 'dead') return start(link)
    if (state !== 'left' || isRestarting(link.paths)) seen = performance.now()
    else if (performance.now() - seen > NEXT_MS) throw left()
  }
}

/** The events of a session until it ends, whatever happens to the daemon. */
export async function* followSession(link: Link, ask: Stream): AsyncGenerator<SessionEvent> {
  for await (const frames of followOn(link, ask)) {
    for (const { data } of frames) yield parseSessionEvent(data)
  }
}

async function* followOn(link: Link, ask: Stream): AsyncGenerator<Frame[]> {
  let after = Number(ask.query?.after ?? 0)
  const own = signatureOf(link)
  for (;;) {
    try {
      const headers = after > 0 ? { ...own, 'last-event-id': String(after) } : own
      const open = () => followFrames(link.paths.socket, 'GET /api/sessions/:id/stream', { ...ask, headers })
      for await (const frames of begun(link, open)) {
        after = sequenceOf(frames.at(-1)!)
        yield frames
      }
      return
    } catch (error) {
      if (ask.signal?.aborted || !isLost(error)) throw error
      await reconnect(link)
    }
  }
}

/**
 * One turn until it ends: unparsed and in batches, for what is only passed on. The prompt is sent once; after a lost
 * connection its turn is read from the event log.
 */
export async function* followPrompt(link: Link, ask: Prompt): AsyncGenerator<Frame[]> {
  let last: Frame | undefined
  try {
    for await (const frames of begun(link, () =>
      followFrames(link.paths.socket, 'POST /api/sessions/:id/prompt', { ...ask, headers: signatureOf(link) }),
    )) {
      last = frames.at(-1)
      yield frames
    }
    return
  } catch (error) {
    if (ask.signal?.aborted || !isLost(error)) throw error
    if (!last) throw unanswered(error)
  }
  await reconnect(link)
  const { turn_id, sequence } = parseSessionEvent(last.data)
  for await (const frames of followOn(link, { ...ask, query: { after: sequence } })) {
    for (const frame of frames) {
      const event = parseSessionEvent(frame.data)
      if (event.turn_id === turn_id) yield [frame]
      if (event.turn_id === turn_id && TURN_ENDS.includes(event.type)) return
    }
  }
}

async function* begun<T>(link: Link, open: () => AsyncGenerator<T>): AsyncGenerator<T> {
  yield* await withDaemon(link, async () => {
    const items = open()
    return rejoin(await items.next(), items)
  })
}

async function* rejoin<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** The JSON of an event begins with it. */
function sequenceOf({ data }: Frame): number {
  return Number(/^\{"sequence":(\d+)/.exec(data)?.[1] ?? 0)
}

function isNotRunning(error: unknown): boolean {
  return error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING'
}

export function isLost(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes(String((error as NodeJS.ErrnoException).code))
}

export function unanswered(cause: unknown): AoError {
  return new AoError('DAEMON_NOT_RUNNING', 'The agh daemon ended before it answered; it is unknown whether it acted', {
    hint: 'See what it did with: agh session list --all',
    cause,
  })
}

function stopped(): AoError {
  return new AoError('DAEMON_STOPPED', 'The agh daemon was stopped, and its sessions with it')
}

function left(): AoError {
  return new AoError('DAEMON_LEFT', 'The agh daemon was stopped without its agents: they are still at work')
}
