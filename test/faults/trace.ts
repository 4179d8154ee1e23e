// What a command did to the files below one directory, as a list of changes to numbered nodes: from the bytes that the
// preloaded library wrote, beginning with the tree as it was found.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

export type Node = number

/** A change of a directory, of what a file says, or of what is on the disk. */
export type Change =
  | { type: 'add'; directory: Node; name: string; node: Node }
  | { type: 'remove'; directory: Node; name: string }
  | { type: 'move'; directory: Node; name: string; to: Node; newName: string; node: Node }
  | { type: 'write'; node: Node; offset: number; data: Buffer }
  | { type: 'truncate'; node: Node; size: number }
  | { type: 'mode'; node: Node; mode: number }
  /** `kind`: fsync, fdatasync, sync_file_range, or all of the file system. */
  | { type: 'sync'; node: Node; kind: 'all of it' | 'data' | 'pages' | 'everything' }

export interface NodeInfo {
  kind: 'file' | 'directory' | 'link'
  mode: number
  target: string
  /** Before the first change, and on the disk. */
  content: Buffer
}

export interface Trace {
  root: Node
  nodes: Map<Node, NodeInfo>
  /** Before the first change, and on the disk. */
  entries: Map<Node, Map<string, Node>>
  changes: Change[]
}

export interface Recording extends Trace {
  byInode: Map<number, Node>
  /** As they are now. */
  now: { entries: Map<Node, Map<string, Node>>; content: Map<Node, Buffer> }
}

/** Called before the command starts: everything that is there counts as synced. */
export function beginTrace(root: string): Recording {
  const empty = (): Map<Node, Map<string, Node>> => new Map()
  const trace: Recording = {
    root: 0,
    nodes: new Map(),
    entries: empty(),
    changes: [],
    byInode: new Map(),
    now: { entries: empty(), content: new Map() },
  }
  scan(trace, root)
  for (const [node, names] of trace.entries) trace.now.entries.set(node, new Map(names))
  return trace
}

function scan(trace: Recording, path: string): Node | null {
  const stat = lstatSync(path)
  const kind = stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'link' : stat.isFile() ? 'file' : null
  // Sockets and pipes mean nothing after a reboot.
  if (kind === null) return null
  const existing = kind === 'file' && stat.nlink > 1 ? trace.byInode.get(stat.ino) : undefined
  if (existing !== undefined) return existing
  const content = kind === 'file' ? readFileSync(path) : Buffer.alloc(0)
  const target = kind === 'link' ? readlinkSync(path) : ''
  const node = addNode(trace, stat.ino, { kind, mode: stat.mode & 0o7777, target, content })
  if (kind === 'file') trace.now.content.set(node, content)
  if (kind === 'directory') {
    const names = new Map<string, Node>()
    trace.entries.set(node, names)
    for (const name of readdirSync(path)) {
      const child = scan(trace, join(path, name))
      if (child !== null) names.set(name, child)
    }
  }
  return node
}

function addNode(trace: Recording, inode: number, info: NodeInfo): Node {
  const node = trace.nodes.size
  trace.nodes.set(node, info)
  trace.byInode.set(inode, node)
  return node
}

interface Line {
  op: string
  a: number
  b: number
  c: number
  first: Buffer
  second: Buffer
  end: number
}

function* linesOf(bytes: Buffer): Generator<Line> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    const [op = '', a, b, c, one, two] = bytes.subarray(at, end).toString('latin1').split(' ')
    const first = bytes.subarray(end + 1, end + 1 + Number(one))
    const second = bytes.subarray(end + 1 + Number(one), end + 1 + Number(one) + Number(two))
    at = end + 2 + Number(one) + Number(two)
    yield { op, a: Number(a), b: Number(b), c: Number(c), first, second, end: at }
  }
}

const SYNCS = { F: 'all of it', D: 'data', P: 'pages', A: 'everything' } as const

/** `bytes`: everything the library wrote. `marks`: how much of it there was at certain moments; returned as numbers of changes. */
export function completeTrace(trace: Recording, bytes: Buffer, marks: readonly number[]): number[] {
  const changes = marks.map(() => 0)
  for (const line of linesOf(bytes)) {
    addLine(trace, line)
    marks.forEach((mark, n) => {
      if (line.end <= mark) changes[n] = trace.changes.length
    })
  }
  return changes
}

function addLine(trace: Recording, { op, a, b, c, first, second }: Line): void {
  const name = first.toString()
  if (op === 'C' || op === 'M' || op === 'Y' || op === 'L') {
    const node =
      op === 'L' ? trace.byInode.get(b) : newNode(trace, op, { inode: b, mode: c, target: second.toString() })
    enter(trace, trace.byInode.get(a), name, node)
  } else if (op === 'U') leave(trace, trace.byInode.get(a), name)
  else if (op === 'N') move(trace, [trace.byInode.get(a), name], [trace.byInode.get(b), second.toString()])
  else if (op === 'W') write(trace, trace.byInode.get(a), b, first)
  else if (op === 'S') replace(trace, trace.byInode.get(a), first)
  else if (op === 'T') truncate(trace, trace.byInode.get(a), b)
  else {
    const node = trace.byInode.get(a)
    if (node === undefined) return
    if (op === 'H') trace.changes.push({ type: 'mode', node, mode: c })
    else trace.changes.push({ type: 'sync', node, kind: SYNCS[op as keyof typeof SYNCS] })
  }
}

function newNode(trace: Recording, op: 'C' | 'M' | 'Y', of: { inode: number; mode: number; target: string }): Node {
  const kind = op === 'C' ? 'file' : op === 'M' ? 'directory' : 'link'
  const node = addNode(trace, of.inode, { kind, mode: of.mode, target: of.target, content: Buffer.alloc(0) })
  if (kind === 'file') trace.now.content.set(node, Buffer.alloc(0))
  if (kind === 'directory') {
    trace.entries.set(node, new Map())
    trace.now.entries.set(node, new Map())
  }
  return node
}

function enter(trace: Recording, directory: Node | undefined, name: string, node: Node | undefined): void {
  if (directory === undefined || node === undefined) return
  trace.now.entries.get(directory)?.set(name, node)
  trace.changes.push({ type: 'add', directory, name, node })
}

function leave(trace: Recording, directory: Node | undefined, name: string): void {
  if (directory === undefined || !trace.now.entries.get(directory)?.delete(name)) return
  trace.changes.push({ type: 'remove', directory, name })
}

type Named = [directory: Node | undefined, name: string]

function move(trace: Recording, [directory, name]: Named, [to, newName]: Named): void {
  if (directory === undefined || to === undefined) return
  const node = trace.now.entries.get(directory)?.get(name)
  if (node === undefined) return
  trace.now.entries.get(directory)?.delete(name)
  trace.now.entries.get(to)?.set(newName, node)
  trace.changes.push({ type: 'move', directory, name, to, newName, node })
}

function write(trace: Recording, node: Node | undefined, offset: number, data: Buffer): void {
  if (node === undefined || data.length === 0) return
  trace.now.content.set(node, overwrite(trace.now.content.get(node) ?? Buffer.alloc(0), offset, data))
  trace.changes.push({ type: 'write', node, offset, data })
}

function truncate(trace: Recording, node: Node | undefined, size: number): void {
  if (node === undefined) return
  trace.now.content.set(node, resize(trace.now.content.get(node) ?? Buffer.alloc(0), size))
  trace.changes.push({ type: 'truncate', node, size })
}

/** What stdio or the kernel wrote unseen, from the first byte that is new. */
function replace(trace: Recording, node: Node | undefined, content: Buffer): void {
  const before = node === undefined ? undefined : trace.now.content.get(node)
  if (before === undefined || before.equals(content)) return
  if (content.length < before.length) truncate(trace, node, content.length)
  const shared = Math.min(before.length, content.length)
  let same = 0
  while (same < shared && before[same] === content[same]) same++
  write(trace, node, same, content.subarray(same))
}

export function overwrite(content: Buffer, offset: number, data: Buffer): Buffer {
  const longer = resize(content, Math.max(content.length, offset + data.length))
  data.copy(longer, offset)
  return longer
}

/** A copy; what is added is zero. */
export function resize(content: Buffer, size: number): Buffer {
  const result = Buffer.alloc(size)
  content.copy(result, 0, 0, Math.min(size, content.length))
  return result
}
