// `spawn` with uniform failures: a program that could not be started reports it with `error` and `close`, whatever the
// reason, and one whose output cannot be read reports that with `error`. Node itself throws for some reasons, and without file
// descriptors it returns a child without streams.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** The same as `spawn`, and safe to use in the same way: never throws, and the requested streams exist. */
export const startProgram = ((command: string, args: readonly string[], options: SpawnOptions = {}) => {
  let child: ChildProcess
  try {
    child = spawn(command, args, options)
  } catch (error) {
    child = Object.assign(new EventEmitter() as ChildProcess, { kill: () => false, unref: () => undefined })
    process.nextTick(() => child.emit('error', error))
  }
  // Only a child without its streams is incomplete; for others node emits `close` itself.
  if (child.stdio === undefined) complete(child, options.stdio)
  // Nobody listens for it there, and node ends a process for that.
  for (const output of [child.stdout, child.stderr]) output?.on('error', (error) => child.emit('error', error))
  return child
}) as typeof spawn

function complete(child: ChildProcess, stdio: SpawnOptions['stdio']): void {
  const kinds = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio]
  const streams = kinds.map((kind, index) => (kind === undefined || kind === 'pipe' ? endedStream(index) : null))
  Object.assign(child, { stdio: streams, stdin: streams[0], stdout: streams[1], stderr: streams[2] })
  // After `error`, which is already on its way.
  setImmediate(() => child.emit('close', null, null))
}

/** Beyond the first three, pipes go both ways. Loaded here, because it is hardly ever needed. */
function endedStream(index: number): Readable | Writable {
  const { Duplex, Readable, Writable } = process.getBuiltinModule('node:stream')
  const write = (_chunk: unknown, _encoding: unknown, done: () => void) => done()
  if (index === 0) return new Writable({ write })
  if (index < 3) return Readable.from([])
  return new Duplex({
    write,
    read() {
      this.push(null)
    },
  })
}

/** One argument may have at most 128 KiB on Linux; this leaves room. */
const MAX_ARGUMENT_BYTES = 120_000

export function fitsArgument(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES
}
