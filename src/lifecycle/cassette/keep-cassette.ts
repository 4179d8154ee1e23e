// Writes what the loop saw, a file for each project and day, beside the rounds: a round only puts it down. A cassette that cannot be
// written changes nothing else; the next start of the loop, or the next day, begins another part of it.
import { closeSync, fdatasync, fstatSync, ftruncateSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { CASSETTE_DIRECTORY } from '../../core/recording/cassette.ts'
import { limitsOf } from '../../core/session/disk-limits.ts'
import { writeAll } from '../../lib/atomic-write.ts'
import { openForAppend, readRange } from '../../lib/plain-file.ts'
import type { LoopContext, Seen } from '../loop/loop-context.ts'
import { localDay } from '../spending/count-spending.ts'
import { createEncoder, type Encoder } from './encode-rounds.ts'

const EVERY_MS = 1_000
/** A day of two hundred busy sessions is smaller. */
export const MOST_DAY_BYTES = 64 * 1024 * 1024

interface OpenCassette {
  day: string
  /** -1: it is full, or could not be written. */
  fd: number
  bytes: number
  encoder: Encoder
  /** Syncs under way: a descriptor that was closed under one could be that of another file by then. */
  syncs: number
}

/** `loop.seen` is empty afterwards, every second and at the end. */
export function keepCassette(loop: LoopContext, { mostDayBytes = MOST_DAY_BYTES } = {}): { close(): void } {
  const { context } = loop
  if (limitsOf(context.config.disk ?? {}).cassetteBytes === 0) return { close: () => undefined }
  const open = new Map<string, OpenCassette>()
  const seen: Seen[] = []
  loop.seen = seen

  const failed = (project: string, error: unknown) => {
    loop.health(`the cassette of ${project}`, 'warn', errorText(error))
    const one = open.get(project)
    if (one) release(one)
  }
  const sync = (project: string, one: OpenCassette) => {
    const { fd } = one
    if (fd === -1) return
    one.syncs += 1
    fdatasync(fd, (error) => {
      one.syncs -= 1
      if (one.fd === -1 && one.syncs === 0) closeQuietly(fd)
      else if (error && one.fd === fd) failed(project, error)
    })
  }
  const drain = () => {
    const taken = seen.splice(0)
    for (const [id, all] of Map.groupBy(taken, ({ project }) => project)) {
      const project = context.config.projects[id]
      if (!project) continue
      try {
        for (const one of all) keepOne(project, one)
        const one = open.get(id)
        // What was written outlives a crash of the process; this is for one of the machine, and nobody waits for it.
        if (one) sync(id, one)
      } catch (error) {
        failed(id, error)
      }
    }
  }
  const keepOne = (project: ProjectConfig, one: Seen) => {
    const at = one.kind === 'round' ? new Date(one.now) : null
    const before = open.get(project.id)
    const day = at === null ? before?.day : localDay(at)
    if (day === undefined) return
    if (day !== before?.day) {
      if (before) release(before)
      open.set(project.id, { day, fd: -1, bytes: 0, encoder: createEncoder(loop, project), syncs: 0 })
      Object.assign(open.get(project.id)!, openDay(context.paths.project(project.id).dir, day))
      loop.health(`the cassette of ${project.id}`, 'ok')
    }
    const cassette = open.get(project.id)!
    if (cassette.fd === -1) return
    const text = Buffer.from(cassette.encoder.encode(one).join(''))
    if (cassette.bytes + text.length > mostDayBytes)
      return failed(project.id, `it is full: a day may have ${mostDayBytes} bytes`)
    writeAll(cassette.fd, text)
    cassette.bytes += text.length
  }
  const timer = setInterval(drain, EVERY_MS)
  timer.unref()
  return {
    close() {
      clearInterval(timer)
      drain()
      loop.seen = undefined
      for (const one of open.values()) release(one)
      open.clear()
    },
  }
}

/** Nothing is written to it from now on; its descriptor is closed with the last sync. */
function release(cassette: OpenCassette): void {
  const { fd, syncs } = cassette
  cassette.fd = -1
  if (fd !== -1 && syncs === 0) closeQuietly(fd)
}

/** A line that a crash of the machine cut off is no line: the next one would make one with it. */
function openDay(projectDir: string, day: string): { fd: number; bytes: number } {
  const directory = join(projectDir, CASSETTE_DIRECTORY)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const fd = openForAppend(join(directory, `${day}.jsonl`))
  const { size } = fstatSync(fd)
  let whole = size
  while (whole > 0) {
    const from = Math.max(0, whole - PIECE)
    const end = readRange(fd, from, whole).lastIndexOf(0x0a)
    if (end !== -1) {
      whole = from + end + 1
      break
    }
    whole = from
  }
  if (whole < size) ftruncateSync(fd, whole)
  return { fd, bytes: whole }
}

const PIECE = 64 * 1024

function closeQuietly(fd: number): void {
  try {
    closeSync(fd)
  } catch {
    // It is no longer written to either way.
  }
}
