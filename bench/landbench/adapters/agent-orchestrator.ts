// A peer: the package `agent-orchestrator` 1.0.0-beta.1 of the npm registry, installed somewhere else (`--option peer=<its node_modules>`). It starts
// `claude -p` in worktrees, up to five at a time, merges what they commit, pushes it, and lets another agent verify the base branch. It has
// no reviews, so its person only starts it again: a merge that fails stops it.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { watchBase } from '../day.ts'
import { append } from '../log.ts'
import { GIT_ENV, git } from '../workload.ts'
import type { Adapter, Day } from './adapter.ts'
import { MINUTES } from './git.ts'
import { endProcesses } from './processes.ts'

const TRACKS = 5
const LOOK_MS = 1_000
/** Each change that failed is given back once, as `git` does. */
const MOST_STARTS = 40

/** Looks, a second apart. */
const MOST_IDLE = 30

interface Status {
  state: string
  tracks: Array<{ currentFeature: unknown }>
}

interface Listed {
  id: number
  status: string
}

export const agentOrchestrator: Adapter = (day) => ({ work: () => workThrough(day) })

async function workThrough(day: Day): Promise<void> {
  const home = join(day.directory, 'home')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/api`
  prepare(day, home)
  const log = openSync(join(day.directory, 'peer.log'), 'a')
  const program = join(day.options.peer ?? 'node_modules', 'agent-orchestrator', 'dist', 'server', 'cli.js')
  const env = { ...process.env, ...GIT_ENV, HOME: home, PORT: String(port) }
  spawn(process.execPath, [program, 'start'], { cwd: day.repo, env, stdio: ['ignore', log, log] })
  const watching = new AbortController()
  const watched = watchBase(day, watching.signal)
  try {
    await play(day, url)
  } finally {
    watching.abort()
    await watched
    await endProcesses(home, () => true)
  }
}

async function play({ repo, workload }: Day, url: string): Promise<void> {
  const givenBack = new Set<number>()
  const path = join(repo, 'features.json')
  let idle = 0
  for (let starts = 0; starts < MOST_STARTS; ) {
    const { state, tracks } = await ask<Status>(`${url}/status`)
    idle = tracks.every(({ currentFeature }) => currentFeature === null) ? idle + 1 : 0
    // It can say that it runs while no track does anything.
    if ((state === 'running' || state === 'stopping') && idle < MOST_IDLE) {
      await pause(LOOK_MS)
      continue
    }
    idle = 0
    const { features } = JSON.parse(readFileSync(path, 'utf8')) as { features: Listed[] }
    const failed = features.filter(({ id, status }) => status === 'failed' && !givenBack.has(id))
    if (features.every(({ status }) => status !== 'open') && failed.length === 0) return
    for (const one of failed) {
      givenBack.add(one.id)
      one.status = 'open'
      const feature = workload.features[one.id - 1]!.id
      append(workload.log, { what: 'person', act: 'hand back', feature, minutes: MINUTES.handBack })
    }
    writeFileSync(path, JSON.stringify({ features }, null, 2))
    if (starts > 0) append(workload.log, { what: 'person', act: 'repair', feature: null, minutes: MINUTES.merge })
    starts += 1
    await fetch(`${url}/stop`, { method: 'POST' })
    await fetch(`${url}/start`, { method: 'POST' })
    await pause(LOOK_MS)
  }
}

/** It pushes, so there is a remote; what is not its default: five tracks, and no pause for a server that reloads. */
function prepare(day: Day, home: string): void {
  const { repo, directory, workload } = day
  mkdirSync(join(repo, '.orchestrator'), { recursive: true })
  mkdirSync(home, { recursive: true })
  const claude = join(directory, 'claude')
  const words = [process.execPath, join(import.meta.dirname, '..', 'once.ts'), day.workloadPath]
  writeFileSync(claude, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(claude, 0o755)
  const tracks = Array.from({ length: TRACKS }, (_, index) => ({
    name: `t${index}`,
    categories: [`t${index}`],
    color: '#808080',
    isDefault: index === 0,
  }))
  const agent = { preferred: 'claude', fallbackAgents: [], claudeCommand: claude }
  const verification = { delayMs: 0 }
  const config = { projectName: 'app', baseBranch: 'main', tracksConfigured: true, tracks, agent, verification }
  writeFileSync(join(repo, '.orchestrator', 'config.json'), JSON.stringify(config))
  const features = workload.features.map(({ id, title }, index) => ({
    ...{ id: index + 1, name: id, description: `landbench: ${id}`, category: `t${index % TRACKS}` },
    steps: [`landbench: ${id}: the check passes (${title})`],
    status: 'open',
  }))
  writeFileSync(join(repo, 'features.json'), JSON.stringify({ features }, null, 2))
  writeFileSync(join(repo, '.git', 'info', 'exclude'), 'features.json\n.orchestrator/\n.worktrees/\n.mcp.json\n')
  git(directory, 'init', '--quiet', '--bare', 'origin.git')
  git(repo, 'remote', 'add', 'origin', join(directory, 'origin.git'))
  git(repo, 'push', '--quiet', 'origin', 'main')
}

/** Also waits until the server is there. */
async function ask<T>(url: string): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return (await (await fetch(url)).json()) as T
    } catch (error) {
      if (tries > 60) throw error
      await pause(LOOK_MS)
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
