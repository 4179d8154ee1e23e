// The output of one pane for all its viewers: linked into the control client's session while there is one.
//
// A picture and what follows it fit exactly: tmux is told to stop sending, and then, in one step, to continue and to
// report the screen. What arrives before that response is kept and shown after it.
import { randomUUID } from 'node:crypto'
import { AoError } from '../../../contract/errors.ts'
import type { TerminalSize } from '../../../contract/terminal-frames.ts'
import type { TerminalViewer } from '../../../slots/runtime.ts'
import type { TmuxHandle } from '../pane-list.ts'
import { drawPicture, PICTURE_FORMAT } from '../screen-picture.ts'
import { callTmux, sequence, type TmuxServer } from '../tmux-command.ts'
import type { ControlClient } from './control-client.ts'
import type { ControlHold } from './control-pool.ts'

export interface Watcher {
  viewer: TerminalViewer
  isPaused: boolean
  /** It has requested a size: the terminal keeps it as long as such a viewer is there. */
  hasWished: boolean
}

export interface PaneFeed {
  handle: TmuxHandle
  server: TmuxServer
  hold: ControlHold
  pane: string
  window: string
  size: TerminalSize
  watchers: Set<Watcher>
  /** The size before any viewer here requested another one. */
  original: TerminalSize | null
  wished: TerminalSize | null
  /** Output since tmux was told to continue; null: no picture is being made. */
  kept: Buffer[] | null
  keptBytes: number
  /** A picture is being made, and whether another one is wanted after it. */
  drawing: Promise<void> | null
  wantsPicture: boolean
  /** Lines above the screen that the next picture has. */
  history: number
  /** Resolves when everything that was typed so far has been passed on. */
  typing: Promise<void>
  isOver: boolean
}

const TIMEOUT_MS = 2_000
/** For a viewer that fell behind: it is shown again and again then. */
const SOME_HISTORY = 1_000
/** All that tmux keeps (`history-limit`). */
const ALL_HISTORY = 10_000
/** More than a screen and its response ever produce: then a new picture is cheaper. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

export async function joinPane(feed: PaneFeed): Promise<void> {
  const client = await feed.hold.client()
  if (!client) throw gone(feed.handle, 'tmux cannot be reached')
  const found = await describePane(client, feed.handle)
  Object.assign(feed, found)
  const linked = await client.run([['link-window', '-d', '-s', feed.window, '-t', `=${client.holder}:`]], TIMEOUT_MS)
  if (linked?.kind !== 'done') throw gone(feed.handle, linked?.why ?? 'the connection to tmux was lost')
}

/** The window disappears with it when its session was closed meanwhile: then only our link kept it. */
export async function leavePane(feed: PaneFeed): Promise<void> {
  const client = await feed.hold.client()
  if (!client) return
  await client.run([['unlink-window', '-k', '-t', `=${client.holder}:${feed.window}`]], TIMEOUT_MS)
}

async function describePane(
  client: ControlClient,
  handle: TmuxHandle,
): Promise<Pick<PaneFeed, 'pane' | 'window' | 'size'>> {
  const format = '#{pane_id} #{window_id} #{pane_width} #{pane_height} #{@ao_spawn_id}'
  const answer = await client.run([['display-message', '-p', '-t', handle.target, format]], TIMEOUT_MS)
  if (answer?.kind !== 'done') throw gone(handle, answer?.why ?? 'the connection to tmux was lost')
  const [pane, window, cols, rows, spawnId] = answer.stdout.trim().split(' ')
  if (!pane || !window || (handle.spawnId !== undefined && handle.spawnId !== spawnId)) {
    throw gone(handle, 'its terminal is that of another launch')
  }
  return { pane, window, size: { cols: Number(cols), rows: Number(rows) } }
}

/** false: tmux reports that the session no longer exists; the window may survive by our link alone. */
export async function hasSession(feed: PaneFeed): Promise<boolean> {
  const client = await feed.hold.client()
  const answer = await client?.run([['has-session', '-t', `=${feed.handle.name}`]], TIMEOUT_MS)
  return answer?.kind !== 'no-target' && client !== null
}

export function takeOutput(feed: PaneFeed, bytes: Buffer): void {
  if (!feed.kept) {
    for (const { viewer, isPaused } of [...feed.watchers]) if (!isPaused) viewer.onData(bytes)
    return
  }
  feed.kept.push(bytes)
  feed.keptBytes += bytes.length
  if (feed.keptBytes < MAX_KEPT_BYTES) return
  feed.kept = []
  feed.keptBytes = 0
  feed.wantsPicture = true
  feed.history = Math.max(feed.history, SOME_HISTORY)
}

/** Shows the screen to every viewer that is not behind, with what is above it. Resolves when it is shown. */
export function showPicture(feed: PaneFeed, { isBehind = false } = {}): Promise<void> {
  feed.wantsPicture = true
  feed.history = Math.max(feed.history, isBehind ? SOME_HISTORY : ALL_HISTORY)
  feed.drawing ??= drawWhileWanted(feed).finally(() => {
    feed.drawing = null
  })
  return feed.drawing
}

async function drawWhileWanted(feed: PaneFeed): Promise<void> {
  while (feed.wantsPicture && !feed.isOver) {
    feed.wantsPicture = false
    const client = await feed.hold.client()
    if (!client) return
    await client.run([['refresh-client', '-A', `${feed.pane}:pause`]], TIMEOUT_MS)
    if ([...feed.watchers].every(({ isPaused }) => isPaused)) return
    feed.kept = []
    feed.keptBytes = 0
    const history = [...feed.watchers].every(({ viewer }) => viewer.onPicture) ? 0 : feed.history
    feed.history = 0
    const answer = await client.run(
      [
        ['refresh-client', '-A', `${feed.pane}:continue`],
        ['display-message', '-p', '-t', feed.pane, PICTURE_FORMAT],
        ['capture-pane', '-p', '-e', '-N', '-S', history === 0 ? '0' : `-${history}`, '-t', feed.pane],
      ],
      TIMEOUT_MS,
    )
    const kept = feed.kept
    feed.kept = null
    if (answer?.kind === 'done') show(feed, answer.stdout, kept)
  }
}

function show(feed: PaneFeed, answer: string, after: Buffer[]): void {
  const { size, bytes } = drawPicture(answer)
  const isResized = size.cols !== feed.size.cols || size.rows !== feed.size.rows
  feed.size = size
  for (const { viewer, isPaused } of [...feed.watchers]) {
    if (isResized) viewer.onSize(size)
    if (isPaused) continue
    if (viewer.onPicture) viewer.onPicture(bytes)
    else viewer.onData(bytes)
    for (const more of after) viewer.onData(more)
  }
}

/** Nobody here reads: tmux stops sending it, and the agent does not notice. */
export async function holdBack(feed: PaneFeed): Promise<void> {
  const client = await feed.hold.client()
  if ([...feed.watchers].some(({ isPaused }) => !isPaused)) return
  await client?.run([['refresh-client', '-A', `${feed.pane}:pause`]], TIMEOUT_MS)
}

export async function resizePane(feed: PaneFeed, size: TerminalSize): Promise<void> {
  const client = await feed.hold.client()
  const attached = await client?.run(
    [['display-message', '-p', '-t', feed.handle.target, '#{session_attached}']],
    TIMEOUT_MS,
  )
  // A person with their own terminal decides; their size reaches us automatically.
  if (!client || attached?.kind !== 'done' || attached.stdout.trim() !== '0') return
  await client.run(
    [
      ['resize-window', '-t', feed.window, '-x', String(size.cols), '-y', String(size.rows)],
      // The first command pins the window to this size; it should follow the next person who attaches.
      ['set-option', '-w', '-u', '-t', feed.window, 'window-size'],
    ],
    TIMEOUT_MS,
  )
}

/** tmux takes each byte as two digits; more of them would make an unpleasantly long line. */
const BYTES_AT_ONCE = 256

/** Types it once and in order, also when the client is lost in between. */
export function typeInto(feed: PaneFeed, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length; start += BYTES_AT_ONCE) {
    const part = bytes.slice(start, start + BYTES_AT_ONCE)
    feed.typing = feed.typing.then(() => typePart(feed, part))
  }
  return feed.typing
}

/** An option of the pane: the last part that was typed there. */
const LAST_TYPED = '@ao_typed'

async function typePart({ hold, server, pane }: PaneFeed, part: Uint8Array): Promise<void> {
  const digits = [...part].map((byte) => byte.toString(16).padStart(2, '0'))
  const token = randomUUID()
  const commands = [
    ['copy-mode', '-q', '-t', pane],
    ['send-keys', '-t', pane, '-H', ...digits],
    ['set-option', '-p', '-t', pane, LAST_TYPED, token],
  ]
  const client = await hold.client()
  const answer = await client?.run(commands, TIMEOUT_MS)
  if (answer?.kind === 'done' || answer?.kind === 'no-target') return
  // The client was lost, which says nothing about what the server did with the line.
  const last = await callTmux(server, ['display-message', '-p', '-t', pane, `#{${LAST_TYPED}}`])
  // Without an answer it is dropped: typed twice, a key could answer a question that nobody has read.
  if (last.kind === 'done' && last.stdout.trim() !== token) await callTmux(server, sequence(...commands))
}

function gone({ name }: TmuxHandle, why: string): AoError {
  return new AoError('SESSION_NOT_RUNNING', `The terminal of ${name} cannot be shown: ${why}`, { details: { name } })
}
