// All lines of a home, kept side by side in one process: each has its own environment, lock and files, and what goes wrong in one
// ends that one. Links on disk name them all, so the next process continues with them, whatever became of this one.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../../contract/errors.ts'
import { withFreeLock } from '../../../lib/lock.ts'
import type { Log } from '../../../lib/log.ts'
import { removeFile } from '../../../lib/remove.ts'
import { lineLock, readLineSpec } from '../home/line-files.ts'
import { SPAWN_ID } from '../line-routes.ts'
import { type OpenEngine, openLine } from './line.ts'

export interface WantedLine {
  spawnId: string
  stateDir: string
  env: NodeJS.ProcessEnv
}

export interface Lines {
  /** Resolves when the line is kept, and a link names it. It may be another process, of the version before, that keeps it. */
  keep(wanted: WantedLine): Promise<void>
  /** Resolves when nothing of it is left but the session's own files. */
  drop(spawnId: string): Promise<void>
  list(): Array<{ spawnId: string; stateDir: string }>
  /** Those that links name. */
  keepLinked(env: NodeJS.ProcessEnv): Promise<void>
  /** Ends the line that an error came out of. false: it came out of none. */
  blame(error: unknown): boolean
  /** Ends all of them and leaves their links. */
  close(): Promise<void>
}

interface Entry {
  stateDir: string
  /** Rejects when it cannot be opened. */
  opened: Promise<void>
  /** `error`: what went wrong in it. */
  end(error?: unknown): void
  isEnding(): boolean
  /** Resolves when its lock is free again. */
  ended: Promise<void>
}

export interface LinesOptions {
  links: string
  openEngine: OpenEngine
  log: Log
  /** The last one ended. */
  onEmpty(): void
}

export function createLines({ links, openEngine, log, onEmpty }: LinesOptions): Lines {
  const entries = new Map<string, Entry>()
  /** Everything that a line does, also later, runs with its name. */
  const current = new AsyncLocalStorage<string>()
  const linkOf = (spawnId: string) => join(links, spawnId)
  const forget = (spawnId: string) => removeFile(linkOf(spawnId))
  mkdirSync(links, { recursive: true, mode: 0o700 })

  function open({ spawnId, stateDir, env }: WantedLine): Entry {
    const opened = Promise.withResolvers<void>()
    const stop = Promise.withResolvers<void>()
    let isEnding = false
    // Nobody may be waiting for either.
    for (const { promise } of [opened, stop]) promise.catch(() => undefined)
    const own = async () => {
      const spec = readLineSpec(stateDir, spawnId)
      if (spec === null) return forget(spawnId)
      const line = await openLine(spec, { stateDir, env, openEngine })
      opened.resolve()
      try {
        await Promise.race([line.over.then(() => forget(spawnId)), stop.promise])
      } finally {
        isEnding = true
        await line.close()
      }
    }
    const ended = current
      .run(spawnId, () => withFreeLock(lineLock(stateDir, spawnId), own))
      .then(
        () => opened.resolve(),
        (error) => {
          log.error(`the line of ${spawnId} failed: ${error instanceof Error ? error.stack : error}`)
          opened.reject(error)
        },
      )
      .then(() => {
        entries.delete(spawnId)
        if (entries.size === 0) onEmpty()
      })
    const end = (error?: unknown) => {
      isEnding = true
      if (error === undefined) stop.resolve()
      else stop.reject(error)
    }
    return { stateDir, opened: opened.promise, end, isEnding: () => isEnding, ended }
  }

  const lines: Lines = {
    async keep(wanted) {
      const { spawnId, stateDir } = wanted
      const before = entries.get(spawnId)
      if (before && before.stateDir !== stateDir)
        throw new AoError('USAGE', `${spawnId} is the line of another session`)
      if (before?.isEnding()) {
        await before.ended
        return lines.keep(wanted)
      }
      if (before) return before.opened
      writeLink(linkOf(spawnId), stateDir)
      const entry = open(wanted)
      entries.set(spawnId, entry)
      return entry.opened
    },
    async drop(spawnId) {
      const entry = entries.get(spawnId)
      forget(spawnId)
      entry?.end()
      await entry?.ended
    },
    list: () => [...entries].map(([spawnId, { stateDir }]) => ({ spawnId, stateDir })),
    async keepLinked(env) {
      const linked = readdirSync(links).filter((name) => SPAWN_ID.test(name))
      await Promise.allSettled(
        linked.map(async (spawnId) => lines.keep({ spawnId, stateDir: readlinkSync(linkOf(spawnId)), env })),
      )
    },
    blame(error) {
      const entry = entries.get(current.getStore() ?? '')
      entry?.end(error)
      return entry !== undefined
    },
    async close() {
      const all = [...entries.values()]
      for (const { end } of all) end()
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
  return lines
}

function writeLink(link: string, stateDir: string): void {
  removeFile(link)
  symlinkSync(stateDir, link)
}
