// What a power cut may leave of a trace, on an ordinary journaled file system (ext4, XFS).
//
// Guaranteed, and therefore kept in every state:
// - Data of a file is on the disk once the file was synced. So is data that was pushed out with sync_file_range and followed by
//   the sync of any file (git's `core.fsyncMethod=batch`).
// - Names are journaled: the sync of a file or directory commits every change of names up to the last change of that file or
//   directory itself, whoever made it, and all truncations and modes with it. A rename happens as a whole.
// Not guaranteed, and therefore chosen by chance:
// - Changes of names after the last commit: either the first few of all, or of each directory the first few of its own, which
//   no journal in one order does, but file systems that log directories apart do.
// - Data that was not synced: missing (so that a new file is empty), complete, its beginning, zeros of the right length, or
//   some of its blocks. A rename is no sync: the new name may lead to an empty file.
// Not modelled: disks that lie about a flush, damage to what was synced, file systems that do not commit names with a later
// sync of something else (the letter of fsync(2), and btrfs, which may lose a rename that git made and did not sync), and
// memory maps. Sockets and pipes are gone, as after any reboot.
import { chmodSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../src/rehearsal/random.ts'
import { type Change, type Node, overwrite, resize, type Trace } from './trace.ts'

const BLOCK = 4096
const LOSSES = ['missing', 'missing', 'complete', 'beginning', 'zeros', 'blocks'] as const
type Loss = (typeof LOSSES)[number]

export interface State {
  entries: Map<Node, Map<string, Node>>
  content: Map<Node, Buffer>
  modes: Map<Node, number>
  /** For a report: how the names were cut, and what became of data that was not synced. */
  described: string
}

/** The disk after a cut behind the first `at` changes. */
export function cutPower(trace: Trace, at: number, random: Random): State {
  const committed = committedBy(trace, at)
  const isLater = (names: 'of all' | 'of each directory') => {
    const cut = random.pick([committed, at, committed + random.below(at - committed + 1)])
    const own = new Map<Node, number>()
    return (directory: Node, position: number) => {
      if (position < committed) return false
      if (names === 'of all') return position >= cut
      if (!own.has(directory)) own.set(directory, committed + random.below(at - committed + 1))
      return position >= own.get(directory)!
    }
  }
  const names = random.pick(['of all', 'of each directory'] as const)
  const isLost = isLater(names)
  const entries = new Map([...trace.entries].map(([node, map]) => [node, new Map(map)]))
  const modes = new Map<Node, number>()
  const truncations = new Set<number>()
  trace.changes.slice(0, at).forEach((change, position) => {
    const directory = 'directory' in change ? change.directory : change.node
    if (change.type === 'write' || change.type === 'sync' || isLost(directory, position)) return
    if (change.type === 'truncate') truncations.add(position)
    else if (change.type === 'mode') modes.set(change.node, change.mode)
    else changeNames(entries, change)
  })
  const content = contents(trace, at, { random, truncations })
  const lost = [...content.losses].map(([loss, count]) => `${count} ${loss}`).join(', ')
  const described = `names: first ones ${names}, ${committed} of ${at} changes committed; unsynced files: ${lost || 'none'}`
  return { entries, modes, content: content.files, described }
}

type NameChange = Extract<Change, { type: 'add' | 'remove' | 'move' }>

function changeNames(entries: State['entries'], change: NameChange): void {
  const names = entries.get(change.directory)
  if (change.type === 'add') names?.set(change.name, change.node)
  else if (change.type === 'remove') names?.delete(change.name)
  else {
    if (names?.get(change.name) === change.node) names.delete(change.name)
    entries.get(change.to)?.set(change.newName, change.node)
  }
}

/** How many of the first changes of names are surely on the disk. */
function committedBy(trace: Trace, at: number): number {
  const touched = new Map<Node, number>()
  const resized = new Map<Node, number>()
  let committed = 0
  trace.changes.slice(0, at).forEach((change, position) => {
    if (change.type === 'sync') {
      if (change.kind === 'everything') committed = position
      else if (change.kind !== 'pages') {
        const last = (change.kind === 'data' ? resized : touched).get(change.node) ?? 0
        committed = Math.max(committed, last)
      }
      return
    }
    // One behind it: that many are committed by a sync of what it changed.
    const nodes = 'directory' in change ? [change.directory, 'to' in change ? change.to : null] : []
    for (const node of [...nodes, 'node' in change ? change.node : null]) {
      if (node !== null) touched.set(node, position + 1)
    }
    if (change.type === 'write' || change.type === 'truncate' || change.type === 'add') {
      if ('node' in change) resized.set(change.node, position + 1)
    }
  })
  return committed
}

function contents(trace: Trace, at: number, chosen: { random: Random; truncations: Set<number> }) {
  const changes = trace.changes.slice(0, at)
  const synced = syncedBy(changes)
  const losses = new Map<Loss, number>()
  const files = new Map(
    [...trace.nodes].filter(([, { kind }]) => kind === 'file').map(([node, { content }]) => [node, content]),
  )
  const pending = new Map<Node, Array<Extract<Change, { type: 'write' }>>>()
  const stopped = new Set<Node>()
  changes.forEach((change, position) => {
    if (change.type !== 'write' && change.type !== 'truncate') return
    const { node } = change
    const content = files.get(node) ?? Buffer.alloc(0)
    if (position < (synced.get(node) ?? 0))
      files.set(
        node,
        change.type === 'write' ? overwrite(content, change.offset, change.data) : resize(content, change.size),
      )
    else if (stopped.has(node)) return
    else if (change.type === 'write') pending.set(node, [...(pending.get(node) ?? []), change])
    else if (!chosen.truncations.has(position)) stopped.add(node)
    else {
      files.set(node, resize(content, change.size))
      // What was written before it is cut off as well.
      pending.delete(node)
    }
  })
  for (const [node, writes] of pending) {
    const loss = chosen.random.pick(LOSSES)
    losses.set(loss, (losses.get(loss) ?? 0) + 1)
    files.set(node, LOSE[loss](files.get(node) ?? Buffer.alloc(0), writes, chosen.random))
  }
  return { files, losses }
}

/** Up to which change the data of each file is on the disk. */
function syncedBy(changes: readonly Change[]): Map<Node, number> {
  const synced = new Map<Node, number>()
  const pushed = new Map<Node, number>()
  changes.forEach((change, position) => {
    if (change.type !== 'sync') return
    if (change.kind === 'pages') pushed.set(change.node, position)
    else {
      for (const [node, until] of pushed) synced.set(node, Math.max(until, synced.get(node) ?? 0))
      pushed.clear()
      synced.set(change.node, position)
      if (change.kind === 'everything')
        for (const one of changes.slice(0, position)) if ('node' in one) synced.set(one.node, position)
    }
  })
  return synced
}

/** The disk with everything that was done: for comparing the trace with what is really there. */
export function loseNothing(trace: Trace): State {
  const synced: Trace = {
    ...trace,
    changes: [...trace.changes, { type: 'sync', node: trace.root, kind: 'everything' }],
  }
  return cutPower(synced, synced.changes.length, createRandom(0))
}

type Lose = (content: Buffer, writes: Array<{ offset: number; data: Buffer }>, random: Random) => Buffer
const all: Lose = (content, writes) =>
  writes.reduce((before, { offset, data }) => overwrite(before, offset, data), content)

const LOSE: Record<Loss, Lose> = {
  missing: (content) => content,
  complete: all,
  beginning(content, writes, random) {
    const first = writes.slice(0, random.below(writes.length) + 1)
    const last = first.pop()!
    const part = last.data.subarray(0, random.below(last.data.length + 1))
    return part.length === 0
      ? all(content, first, random)
      : all(content, [...first, { offset: last.offset, data: part }], random)
  },
  zeros: (content, writes, random) => resize(content, Math.max(content.length, all(content, writes, random).length)),
  blocks(content, writes, random) {
    const after = all(content, writes, random)
    const result = resize(content, after.length)
    for (let at = 0; at < after.length; at += BLOCK) if (random.chance(0.5)) after.copy(result, at, at, at + BLOCK)
    return result
  },
}

const OFF_SINCE = new Date(Date.now() - 3_600_000)

/** Replaces what is below `root`; nothing may be running there. */
export function writeState(trace: Trace, state: State, root: string): void {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true })
  const written = new Map<Node, string>()
  const writeDirectory = (directory: Node, path: string) => {
    for (const [name, node] of state.entries.get(directory) ?? []) {
      const info = trace.nodes.get(node)!
      const target = join(path, name)
      const before = written.get(node)
      const mode = state.modes.get(node) ?? info.mode
      if (info.kind === 'link') symlinkSync(info.target, target)
      // A directory has one name: the journal keeps the later one.
      else if (info.kind === 'directory' && before !== undefined) continue
      else if (info.kind === 'directory') mkdirSync(target)
      else if (before !== undefined) linkSync(before, target)
      else writeFileSync(target, state.content.get(node) ?? Buffer.alloc(0))
      if (info.kind === 'link') continue
      written.set(node, target)
      if (info.kind === 'directory') writeDirectory(node, target)
      // The machine was off for a while.
      else if (name.endsWith('.lock')) utimesSync(target, OFF_SINCE, OFF_SINCE)
      if (before === undefined) chmodSync(target, mode)
    }
  }
  writeDirectory(trace.root, root)
}
