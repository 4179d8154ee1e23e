// Gates beside the agent: a checkout of one commit in a directory of its own, and commands in it with a time limit and a bounded
// log. One run at a time; each command runs once, however often home asks for it.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../../git/git.ts'
import { runCheck } from '../../../landing/checks/run-check.ts'
import { namesIn, readBytes, readIfThere } from '../../../lib/plain-file.ts'
import { stopProcesses } from '../../../lib/process/process-tree.ts'
import { removeTree } from '../../../lib/remove.ts'
import type { GateCheckout, GateCommand, GateEnd } from '../far-contract.ts'
import type { FarPaths } from './far-paths.ts'

export interface FarGates {
  /** The same id again is the same checkout; another id ends what was there. */
  checkOut(request: GateCheckout): Promise<void>
  /** Throws when the run is unknown: another one took its place, or the host is a new one. */
  run(request: GateCommand): Promise<GateEnd>
  log(id: string, n: number): Buffer
  /** Without an id: whatever there is. */
  close(id?: string): Promise<void>
}

interface Run {
  id: string
  marker: string
  directory: string
  abort: AbortController
  ready: Promise<void>
  ends: Map<number, Promise<GateEnd>>
}

const ID = /^[\w-]{1,64}$/
const MARKER = /^gates-[\w-]{1,64}$/

export function createFarGates(paths: Pick<FarPaths, 'gates' | 'origin'>): FarGates {
  let current: Run | null = null
  /** Of an earlier host, too: commands that it started would no longer have a time limit. */
  const clearNow = async () => {
    current?.abort.abort()
    current = null
    for (const id of namesIn(paths.gates)) {
      const marker = readIfThere(join(paths.gates, id, 'marker'))?.trim() ?? ''
      // Not just any: with another session's it would end that one's agent.
      if (MARKER.test(marker)) await stopProcesses(marker, [], { graceMs: 0 })
    }
    removeTree(paths.gates, { maxRetries: 3 })
  }
  let clearing: Promise<void> = Promise.resolve()
  const clear = () => {
    clearing = clearing.then(clearNow, clearNow)
    return clearing
  }
  const requireRun = (id: string): Run => {
    if (current?.id === id) return current
    throw new Error('this run of the gates is no longer known in the place')
  }
  const logFile = (run: Run, n: number) => join(run.directory, `log-${Number(n)}`)
  const start = async (run: Run, { n, command, rule }: GateCommand): Promise<GateEnd> => {
    await run.ready
    const file = logFile(run, n)
    const { marker, abort } = run
    const where = { directory: join(run.directory, 'work'), env: process.env, rule, marker }
    const end = await runCheck({ command, ...where, logFile: file, signal: abort.signal })
    return { ...end, logBytes: statSync(file).size }
  }
  return {
    async checkOut({ id, commit }) {
      if (!ID.test(id) || !/^[0-9a-f]{40,64}$/.test(commit)) throw new Error('that is not a checkout')
      if (current?.id === id) return current.ready
      await clear()
      const directory = join(paths.gates, id)
      const marker = `gates-${id}`
      const ready = checkOutThere({ directory, marker }, paths.origin, commit)
      current = { id, directory, marker, abort: new AbortController(), ready, ends: new Map() }
      return ready
    },
    run(request) {
      const run = requireRun(request.id)
      const recorded = run.ends.get(request.n)
      if (recorded) return recorded
      const end = start(run, request)
      run.ends.set(request.n, end)
      end.catch(() => undefined)
      return end
    },
    log: (id, n) => readBytes(logFile(requireRun(id), n)),
    close: async (id) => (id === undefined || current?.id === id ? clear() : undefined),
  }
}

/** A repository of its own, which borrows its objects: what the agent does to its workspace or its branches changes nothing. */
async function checkOutThere(
  { directory, marker }: Pick<Run, 'directory' | 'marker'>,
  origin: string,
  commit: string,
): Promise<void> {
  const work = join(directory, 'work')
  mkdirSync(work, { recursive: true, mode: 0o700 })
  // Before anything runs: the next host ends what this one leaves.
  writeFileSync(join(directory, 'marker'), `${marker}\n`)
  const git = (...args: string[]) => runGit(work, args, { env: process.env })
  await git('init', '--quiet', '--template=', '.')
  const info = join(work, '.git', 'objects', 'info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'alternates'), `${join(origin, 'objects')}\n`)
  await git('checkout', '--quiet', '--detach', commit)
}
