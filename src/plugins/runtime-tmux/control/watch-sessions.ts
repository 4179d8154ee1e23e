// Reports ended sessions as they end: tmux reports a closed session, and the system a vanished terminal.
import { type FSWatcher, watch } from 'node:fs'
import { isSafeName } from '../../../contract/ids.ts'
import type { RuntimeWatch } from '../../../slots/runtime.ts'
import { judge, listSettledPanes, readHandle, serverOf, type TmuxHandle } from '../pane-list.ts'
import type { TmuxServer } from '../tmux-command.ts'
import type { ControlHold, ControlPool } from './control-pool.ts'

export interface SessionWatchOptions {
  server: TmuxServer
  controls: ControlPool
  timeoutMs: number
}

/** Linux: where terminals appear and vanish. tmux has no notice for a pane whose process ended. */
const TERMINALS = '/dev/pts'

interface Group {
  server: TmuxServer
  hold: ControlHold
  handles: Map<string, TmuxHandle>
  /** Terminals of the live panes. */
  terminals: Set<string>
  /** Other terminals that came or went since the last check began: one may be of a pane that is just being listed. */
  changed: Set<string>
  /** Those whose end was reported. */
  reported: Set<string>
  checking: boolean
  /** Something happened since the last check began. */
  isDue: boolean
}

export function watchSessions(options: SessionWatchOptions, onChange: (names: string[]) => void): RuntimeWatch {
  const groups = new Map<string, Group>()
  const terminals = watchTerminals((name) => {
    for (const group of groups.values()) {
      if (name === null || group.terminals.has(name)) check(group)
      else group.changed.add(name)
    }
  })
  const check = (group: Group) => void checkNow(group, options.timeoutMs, onChange)

  return {
    follow(handles) {
      const ours = handles.filter(({ id }) => isSafeName(id))
      // No client of ours connects to the user's own server: an end there is found by the next poll.
      const own = ours.map(readHandle).filter(({ isAdopted }) => !isAdopted)
      const bySocket = Map.groupBy(own, ({ socket }) => socket ?? '')
      for (const [socket, group] of groups) if (!bySocket.has(socket)) forget(groups, socket, group)
      for (const [socket, wanted] of bySocket) {
        const group = groups.get(socket) ?? newGroup(options, wanted[0]!, check)
        groups.set(socket, group)
        if (replaceHandles(group, wanted)) check(group)
      }
    },
    close() {
      terminals?.close()
      for (const [socket, group] of groups) forget(groups, socket, group)
    },
  }
}

function watchTerminals(onGone: (name: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(TERMINALS, (event, name) => event === 'rename' && onGone(name))
    // Without it an end is found by the next poll.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // Not on this system; the same applies.
    return null
  }
}

function newGroup({ server, controls }: SessionWatchOptions, handle: TmuxHandle, check: (group: Group) => void): Group {
  const own = serverOf(server, handle)
  const group: Group = {
    server: own,
    hold: controls.hold(own, {
      onOutput: () => undefined,
      onNotice: (name) => name === '%sessions-changed' && check(group),
      onLost: () => check(group),
    }),
    handles: new Map(),
    terminals: new Set(),
    changed: new Set(),
    reported: new Set(),
    checking: false,
    isDue: false,
  }
  return group
}

/** true: one of them is new. */
function replaceHandles(group: Group, wanted: TmuxHandle[]): boolean {
  const before = group.handles
  group.handles = new Map(wanted.map((handle) => [keyOf(handle), handle]))
  group.reported = new Set([...group.reported].filter((key) => group.handles.has(key)))
  return [...group.handles.keys()].some((key) => !before.has(key))
}

/** A restored session has the name of the one before it. */
function keyOf({ name, spawnId }: TmuxHandle): string {
  return `${name} ${spawnId ?? ''}`
}

async function checkNow(group: Group, timeoutMs: number, onChange: (names: string[]) => void): Promise<void> {
  group.isDue = true
  if (group.checking) return
  group.checking = true
  while (group.isDue) {
    group.isDue = false
    group.changed.clear()
    await group.hold.client()
    const list = await listSettledPanes(group.server, timeoutMs)
    // Nothing is known, so nothing is reported; the poll finds it.
    if (list.kind === 'unknown') continue
    group.terminals = new Set(list.panes.filter(({ dead }) => !dead).flatMap(({ pts }) => pts ?? []))
    if ([...group.changed].some((name) => group.terminals.has(name))) group.isDue = true
    const ended = [...group.handles].filter(([key, handle]) => !group.reported.has(key) && isOver(list.panes, handle))
    for (const [key] of ended) group.reported.add(key)
    if (ended.length > 0) onChange(ended.map(([, { name }]) => name))
  }
  group.checking = false
}

function isOver(panes: Parameters<typeof judge>[0], handle: TmuxHandle): boolean {
  return judge(panes, handle).state !== 'alive'
}

function forget(groups: Map<string, Group>, socket: string, group: Group): void {
  groups.delete(socket)
  group.handles.clear()
  // What is left of the client ends with this process; the next loop ends it otherwise (orphaned-clients.ts).
  group.hold.release().catch(() => undefined)
}
