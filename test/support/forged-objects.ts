// Objects whose content is not what their id stands for, as a program that can write below `.git/objects` makes them. Git reads
// them without a complaint.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { git } from './git-repo.ts'

export interface ForgedContent {
  type: 'blob' | 'tree' | 'commit'
  content: Buffer
}

export interface Forger {
  /** What is stored under an id, to be changed and planted under it again. */
  read(id: string): ForgedContent
  /** In its place. */
  loose(id: string, forged: ForgedContent): void
  /** Beside it: git prefers a pack. */
  pack(id: string, forged: ForgedContent): void
  truncated(id: string): void
  /** Takes all of them away, so that the right content is there again. */
  undo(): void
}

export function forgerOf(gitDir: string, env: NodeJS.ProcessEnv): Forger {
  const fileOf = (id: string) => join(gitDir, 'objects', id.slice(0, 2), id.slice(2))
  const originals = new Map<string, Buffer>()
  const planted: string[] = []
  const keep = (id: string) => {
    if (existsSync(fileOf(id)) && !originals.has(id)) originals.set(id, readFileSync(fileOf(id)))
  }
  const write = (file: string, bytes: Buffer) => {
    mkdirSync(dirname(file), { recursive: true })
    rmSync(file, { force: true })
    writeFileSync(file, bytes)
  }
  const loose: Forger['loose'] = (id, { type, content }) => {
    keep(id)
    planted.push(fileOf(id))
    write(fileOf(id), deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])))
  }
  const pack: Forger['pack'] = (id, forged) => {
    const { pack, index } = packOf(id, forged)
    const name = join(gitDir, 'objects', 'pack', `pack-${hash(id, Buffer.from(id)).toString('hex')}`)
    planted.push(`${name}.pack`, `${name}.idx`)
    write(`${name}.pack`, pack)
    write(`${name}.idx`, index)
    // Of several packs the newest is read first.
    const later = Date.now() / 1_000 + 60
    utimesSync(`${name}.pack`, later, later)
  }
  return {
    read: (id) => {
      const type = git(gitDir, env, 'cat-file', '-t', id) as ForgedContent['type']
      const size = Number(git(gitDir, env, 'cat-file', '-s', id))
      const raw = readRaw(gitDir, env, type, id)
      if (raw.length !== size) throw new Error(`${id} has ${size} bytes, not ${raw.length}`)
      return { type, content: raw }
    },
    loose,
    pack,
    truncated(id) {
      keep(id)
      planted.push(fileOf(id))
      write(fileOf(id), originals.get(id)!)
      truncateSync(fileOf(id), 5)
    },
    undo() {
      for (const file of planted) rmSync(file, { force: true })
      for (const [id, bytes] of originals) write(fileOf(id), bytes)
    },
  }
}

function readRaw(gitDir: string, env: NodeJS.ProcessEnv, type: string, id: string): Buffer {
  return execFileSync('git', ['cat-file', type, id], { cwd: gitDir, env })
}

function hash(id: string, bytes: Buffer): Buffer {
  return createHash(id.length === 64 ? 'sha256' : 'sha1')
    .update(bytes)
    .digest()
}

const TYPES = { commit: 1, tree: 2, blob: 3 }

/** A pack with one object, and an index that names it by the given id. */
function packOf(id: string, { type, content }: ForgedContent): { pack: Buffer; index: Buffer } {
  let size = content.length
  const head: number[] = [(TYPES[type] << 4) | (size & 15)]
  for (size >>= 4; size > 0; size >>= 7) {
    head[head.length - 1]! |= 0x80
    head.push(size & 0x7f)
  }
  const body = Buffer.concat([Buffer.from('PACK'), uint32(2), uint32(1), Buffer.from(head), deflateSync(content)])
  const trailer = hash(id, body)
  const name = Buffer.from(id, 'hex')
  const fanout = Array.from({ length: 256 }, (_, byte) => uint32(byte >= name[0]! ? 1 : 0))
  const magic = Buffer.from([0xff, 0x74, 0x4f, 0x63])
  const table = Buffer.concat([magic, uint32(2), ...fanout, name, uint32(0), uint32(12), trailer])
  return { pack: Buffer.concat([body, trailer]), index: Buffer.concat([table, hash(id, table)]) }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
