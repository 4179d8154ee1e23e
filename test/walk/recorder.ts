// Follows what a process executes: node --import ./test/walk/recorder.ts <program>, with WALK_OUT for the result. What belongs
// to an operation is decided by its asynchronous context, so that rounds and requests that run at the same time do not mix.
import { AsyncLocalStorage } from 'node:async_hooks'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { instrument, ROOT } from './instrument.ts'

/** A function that was entered for the first time in its operation. */
export interface Step {
  /** Grows over all operations of the process. */
  at: number
  file: string
  /** With its offset in the file. */
  name: string
  /** The file of the function that called it; null: an event did. */
  from: string | null
}

/** One request, one tick; what is not part of another belongs to the program itself, which is the first. */
export interface Operation {
  name: string
  begins: number
  /** null: it was still open when the process ended. */
  ends: number | null
  steps: Step[]
}

/** Small parts that are used everywhere and read once: nobody opens them to follow a flow. */
export const LEAF_ROOMS = ['lib', 'contract', 'slots', 'core/text', 'cli/print']
const SRC = pathToFileURL(`${ROOT}/src/`).href
const isLeaf = (path: string) => LEAF_ROOMS.some((room) => path.startsWith(`${room}/`))

interface Recorded extends Operation {
  seen: Set<string>
}

const current = new AsyncLocalStorage<Recorded>()
let clock = 0
const recorded: Recorded[] = []
const program = begin('program')

function begin(name: string): Recorded {
  const operation = { name, begins: clock++, ends: null, steps: [], seen: new Set<string>() }
  recorded.push(operation)
  return operation
}

/** Records what `work` executes as one operation, until it settles. */
export async function recordOperation<T>(name: string, work: () => Promise<T>): Promise<T> {
  const operation = begin(name)
  try {
    return await current.run(operation, work)
  } finally {
    operation.ends = clock++
  }
}

let loading = 0

Object.assign(globalThis, {
  __load(change: number): void {
    loading += change
  },
  __walk(file: string, name: string): void {
    if (loading > 0) return
    const { seen, steps } = current.getStore() ?? program
    const key = `${file} ${name}`
    if (seen.has(key)) return
    seen.add(key)
    steps.push({ at: clock++, file, name, from: callerOf() })
  },
})

/** Leaf rooms only pass on what they are given: a lock that calls a function is not where the function is called from. */
function callerOf(): string | null {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = 30
  Error.prepareStackTrace = (_error, frames) => frames.map((frame) => frame.getFileName() ?? '')
  const files = new Error().stack as unknown as string[]
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  // This function, the one that the sources call, and the function that was entered.
  const found = files.slice(3).find((file) => file.startsWith(SRC) && !isLeaf(file.slice(SRC.length)))
  return found === undefined ? null : `src/${found.slice(SRC.length)}`
}

// Every request to a server of the process is an operation, until its response is sent.
const emit = Server.prototype.emit as (this: Server, event: string, ...values: unknown[]) => boolean
Server.prototype.emit = function (this: Server, event: string, ...values: unknown[]): boolean {
  if (event !== 'request') return emit.call(this, event, ...values)
  const [request, response] = values as [IncomingMessage, ServerResponse]
  const operation = begin(`${request.method} ${request.url}`)
  response.once('close', () => {
    operation.ends = clock++
  })
  return current.run(operation, () => emit.call(this, event, ...values))
} as typeof Server.prototype.emit

registerHooks({
  load(url, context, next) {
    const path = url.startsWith(SRC) && url.endsWith('.ts') ? url.slice(SRC.length) : null
    if (path === null || isLeaf(path)) return next(url, context)
    return { format: 'module', source: instrument(`src/${path}`), shortCircuit: true }
  },
})

process.on('exit', () => {
  const operations = recorded.map(({ seen: _, ...operation }) => operation)
  writeFileSync(process.env.WALK_OUT!, JSON.stringify(operations))
})
