// Live terminals over the control client: one feed per pane however many viewers it has, closed with the last of them.
import type { RuntimeHandle } from '../../contract/session.ts'
import type { TerminalSize } from '../../contract/terminal-frames.ts'
import { sleep } from '../../lib/clock.ts'
import type { LiveTerminal, TerminalViewer } from '../../slots/runtime.ts'
import type { ControlPool } from './control/control-pool.ts'
import {
  hasSession,
  holdBack,
  joinPane,
  leavePane,
  type PaneFeed,
  resizePane,
  showPicture,
  takeOutput,
  typeInto,
  type Watcher,
} from './control/pane-feed.ts'
import { type OpenWatch, type Probe, shareProbe, shareWatch } from './control/share-feeds.ts'
import { readHandle, serverOf } from './pane-list.ts'
import type { TmuxServer } from './tmux-command.ts'

interface Source {
  server: TmuxServer
  controls(): ControlPool
  watch: OpenWatch
  probe: Probe
}

/** What all terminals of a process have together. */
interface TerminalSource extends Pick<Source, 'server' | 'controls'> {
  /** Feeds that are open, by session and launch. */
  feeds: Map<string, Promise<OpenFeed>>
  follow: ReturnType<typeof shareWatch>
  probe: ReturnType<typeof shareProbe>
}

interface OpenFeed {
  feed: PaneFeed
  /** Notifies all viewers if the agent has ended, or its session was closed under us. */
  endIfOver(): Promise<void>
  close(): Promise<void>
}

export function serveTerminals({ server, controls, watch, probe }: Source) {
  const source = { server, controls, feeds: new Map(), follow: shareWatch(watch), probe: shareProbe(probe) }
  return (handle: RuntimeHandle, viewer: TerminalViewer) => openTerminal(source, handle, viewer)
}

async function openTerminal(
  source: TerminalSource,
  handle: RuntimeHandle,
  viewer: TerminalViewer,
): Promise<LiveTerminal> {
  const key = `${handle.id} ${handle.data?.spawnId ?? ''}`
  const opening = source.feeds.get(key) ?? openFeed(source, handle, () => source.feeds.delete(key))
  source.feeds.set(key, opening)
  const { feed, endIfOver, close } = await opening.catch((error) => {
    source.feeds.delete(key)
    throw error
  })
  const watcher: Watcher = { viewer, isPaused: false, hasWished: false }
  const { size } = feed
  feed.watchers.add(watcher)
  if (viewer.size) void requestSize(feed, watcher, viewer.size)
  // Reported after the caller has got its terminal.
  setImmediate(() => void showPicture(feed).then(endIfOver))
  return {
    size,
    write: (bytes) => void typeInto(feed, bytes),
    resize: (wanted) => void requestSize(feed, watcher, wanted),
    pause() {
      watcher.isPaused = true
      void holdBack(feed)
    },
    resume() {
      if (!watcher.isPaused) return
      watcher.isPaused = false
      void showPicture(feed, { isBehind: true })
    },
    async close() {
      if (!feed.watchers.delete(watcher)) return
      if (watcher.hasWished) await restoreSize(feed)
      if (feed.watchers.size === 0) await close()
    },
  }
}

async function openFeed(source: TerminalSource, handle: RuntimeHandle, forget: () => void): Promise<OpenFeed> {
  const target = readHandle(handle)
  const server = serverOf(source.server, target)
  const hold = source.controls().hold(server, {
    onOutput: (pane, bytes) => pane === feed.pane && takeOutput(feed, bytes),
    onNotice(name, rest) {
      const isResized = name === '%layout-change' && rest.startsWith(`${feed.window} `)
      // Not our own pause, which is followed by a picture anyway: tmux found us too slow.
      const isDropped = name === '%pause' && rest === feed.pane && !feed.drawing
      if (isResized) void showPicture(feed)
      else if (isDropped && [...feed.watchers].some(({ isPaused }) => !isPaused))
        void showPicture(feed, { isBehind: true })
    },
    onLost: () => void joinAgain(feed, endIfOver),
  })
  const feed: PaneFeed = {
    handle: target,
    server,
    hold,
    pane: '',
    window: '',
    size: { cols: 0, rows: 0 },
    watchers: new Set(),
    original: null,
    wished: null,
    kept: null,
    keptBytes: 0,
    drawing: null,
    wantsPicture: false,
    history: 0,
    typing: Promise.resolve(),
    isOver: false,
  }
  try {
    await joinPane(feed)
  } catch (error) {
    await hold.release()
    throw error
  }
  const unfollow = source.follow(handle, () => void endIfOver())

  async function close(): Promise<void> {
    forget()
    feed.isOver = true
    unfollow()
    await leavePane(feed)
    await hold.release()
  }

  async function endIfOver(): Promise<void> {
    const why = await whyOver(source, handle, feed)
    if (why === null || feed.isOver) return
    // Output of its last moment may still be on its way; the picture has it.
    await showPicture(feed)
    if (feed.isOver) return
    const watchers = [...feed.watchers]
    feed.watchers.clear()
    await close()
    for (const { viewer } of watchers) viewer.onEnd(why)
  }

  return { feed, endIfOver, close }
}

async function requestSize(feed: PaneFeed, watcher: Watcher, size: TerminalSize): Promise<void> {
  watcher.hasWished = true
  feed.original ??= feed.size
  feed.wished = size
  await resizePane(feed, size)
}

/** A size set by somebody else after us is kept. */
async function restoreSize(feed: PaneFeed): Promise<void> {
  const { original, wished, size, watchers } = feed
  if (!original || [...watchers].some(({ hasWished }) => hasWished)) return
  feed.original = null
  if (wished?.cols === size.cols && wished.rows === size.rows) await resizePane(feed, original)
}

const REJOIN_MS = 1_000

/** The client was lost. While the server still exists, so does the agent, and viewers would look at a still picture. */
async function joinAgain(feed: PaneFeed, endIfOver: () => Promise<void>): Promise<void> {
  while (!feed.isOver) {
    const isJoined = await joinPane(feed).then(
      () => true,
      () => false,
    )
    if (isJoined) await showPicture(feed)
    // Without the server the agent has ended, too.
    await endIfOver()
    if (isJoined) return
    await sleep(REJOIN_MS)
  }
}

const CLOSED = 'its tmux session was closed'

/** In words; null: it continues, or it is unknown. */
async function whyOver(source: TerminalSource, handle: RuntimeHandle, feed: PaneFeed): Promise<string | null> {
  const liveness = await source.probe(handle)
  // With `ao session kill` the session may be closed before tmux has said how its agent ended.
  if (liveness.state === 'dead') return liveness.exitCode === undefined ? CLOSED : liveness.why
  if (liveness.state === 'alive' || (await hasSession(feed))) return null
  return CLOSED
}
