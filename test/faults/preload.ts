// `test/fixtures/faulty-disk.c` as a library that commands are started with: what they write below one directory is written
// down, or one operation of theirs fails. Needs a C compiler and Linux.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { COMPILED } from '../support/temp-home.ts'

/** As the library counts them. */
export const KINDS = {
  open: 1,
  create: 2,
  read: 4,
  write: 8,
  sync: 16,
  entry: 32,
  process: 64,
  socket: 128,
  stream: 256,
} as const
export type Kind = keyof typeof KINDS

/** What may fail, and what it can happen to. */
export const ERRORS = {
  EIO: ['open', 'create', 'read', 'write', 'sync', 'entry', 'stream'],
  ENOSPC: ['create', 'write', 'sync', 'entry'],
  EMFILE: ['open', 'create', 'process', 'socket'],
  EACCES: ['open', 'create', 'entry', 'process', 'socket'],
  EPIPE: ['stream'],
  ETIMEDOUT: ['socket', 'stream'],
  short: ['write'],
} as const satisfies Record<string, readonly Kind[]>
export type Failure = keyof typeof ERRORS

export const canPreload = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

const PAGE_BYTES = 4096
const AT = { count: 0, target: 8, error: 16, kinds: 20, hit: 24, what: 32 }
const WHAT_BYTES = 488

export interface Operation {
  n: number
  kind: Kind
  what: string
}

export interface Preload {
  /** For everything whose operations count. */
  env: NodeJS.ProcessEnv
  /** Begins anew: nothing counted, nothing to fail. */
  reset(): void
  /** The n-th operation from now on that this can happen to fails. */
  arm(n: number, failure: Failure): void
  /** Which one it was; null: there were fewer. */
  disarm(): { n: number; what: string } | null
  count(): number
  operations(): Operation[]
  trace(): Buffer
}

/** Compiled once for each version of its source. */
function compiled(): string {
  const source = join(import.meta.dirname, '../fixtures/faulty-disk.c')
  const name = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const library = join(COMPILED, '..', `faulty-disk-${name}.so`)
  if (existsSync(library)) return library
  mkdirSync(join(library, '..'), { recursive: true })
  const draft = `${library}.${process.pid}`
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', draft, source, '-ldl', '-lpthread'])
  renameSync(draft, library)
  return library
}

/** `directory` is outside `root`. */
export function createPreload(directory: string, root: string): Preload {
  const library = compiled()
  const [page, trace, list] = ['page', 'trace', 'list'].map((name) => join(directory, name)) as [string, string, string]
  const writeMemory = (offset: number, bytes: Buffer) => {
    // In place: it is mapped into running programs.
    const fd = openSync(page, 'r+')
    writeSync(fd, bytes, 0, bytes.length, offset)
    closeSync(fd)
  }
  const number = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(value))
    return bytes
  }
  const half = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    return bytes
  }
  writeFileSync(page, Buffer.alloc(PAGE_BYTES))
  return {
    env: { LD_PRELOAD: library, UV_USE_IO_URING: '0', AO_FAULT_ROOT: root, AO_FAULT_PAGE: page },
    reset() {
      writeMemory(AT.count, Buffer.concat([number(0), number(0)]))
      for (const file of [trace, list]) rmSync(file, { force: true })
    },
    arm(n, failure) {
      rmSync(list, { force: true })
      const kinds = ERRORS[failure].reduce((bits, kind) => bits | KINDS[kind], 0)
      writeMemory(
        AT.error,
        Buffer.concat([half(failure === 'short' ? -1 : constants.errno[failure]), half(kinds), number(0)]),
      )
      writeMemory(AT.count, Buffer.concat([number(0), number(n)]))
    },
    disarm() {
      writeMemory(AT.target, number(0))
      const bytes = readFileSync(page)
      const n = Number(bytes.readBigInt64LE(AT.hit))
      if (n === 0) return null
      const what = bytes.subarray(AT.what, AT.what + WHAT_BYTES)
      return { n, what: what.subarray(0, what.indexOf(0)).toString().replaceAll(root, '~') }
    },
    count: () => Number(readFileSync(page).readBigInt64LE(AT.count)),
    operations() {
      const kinds = new Map<number, Kind>(Object.entries(KINDS).map(([kind, bit]) => [bit, kind as Kind]))
      const lines = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : []
      return lines.map((line) => {
        const [, n, kind, what] = /^(\d+) (\d+) \d+ (.*)$/.exec(line) ?? []
        return { n: Number(n), kind: kinds.get(Number(kind))!, what: (what ?? line).replaceAll(root, '~') }
      })
    },
    trace: () => (existsSync(trace) ? readFileSync(trace) : Buffer.alloc(0)),
  }
}

/** Added to the environment: operations are written to a list, or to a trace that power-loss states are made of. */
export function recording(preload: Preload, what: 'list' | 'trace'): NodeJS.ProcessEnv {
  const directory = join(preload.env.AO_FAULT_PAGE!, '..')
  return { ...preload.env, [what === 'list' ? 'AO_FAULT_LIST' : 'AO_FAULT_TRACE']: join(directory, what) }
}
