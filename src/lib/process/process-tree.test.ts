import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { identify, type ProcessIdentity, processState } from './process-identity.ts'
import { findBySpawnMarker, SPAWN_MARKER, stopProcesses } from './process-tree.ts'

let directory: string
const started: ChildProcess[] = []

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'aot-tree-')))
})

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

describe('findBySpawnMarker', () => {
  it('F24 finds a process by its marker and no process whose marker only begins alike', async () => {
    const spawnId = randomUUID()
    const child = run('exec sleep 60', { [SPAWN_MARKER]: spawnId })
    run('exec sleep 60', { [SPAWN_MARKER]: `${spawnId}0`, OTHER: `x${SPAWN_MARKER}=${spawnId}` })
    await waitFor('the child', () => findBySpawnMarker(spawnId).length === 1)
    expect(findBySpawnMarker(spawnId).map((one) => one.pid)).toEqual([child.pid])
  })
})

/** All that a stop had to do was done, and it has nothing to add. */
const CLEAN = { left: [], unproven: [] }

describe('stopProcesses', () => {
  it.each([
    ['a plain child', 'sleep 60 & echo $! > a; wait'],
    ['nohup', 'nohup sleep 60 >/dev/null 2>&1 & echo $! > a; wait'],
    ['setsid', "setsid sh -c 'echo $$ > a; exec sleep 60' & wait"],
    ['a double fork', "( setsid sh -c 'echo $$ > a; exec sleep 60' & ) ; sleep 60"],
    ['ignored signals', 'trap "" HUP TERM; echo $$ > a; while :; do sleep 1; done'],
    ['a cleared environment', "env -i sh -c 'echo $$ > a; exec sleep 60' & wait"],
    ['a cleared environment with a HOME', "env -i HOME=/x sh -c 'echo $$ > a; exec sleep 60' & wait"],
    ['a cleared environment in a session of its own', "env -i setsid -w sh -c 'echo $$ > a; exec sleep 60' & wait"],
    [
      'a cleared environment, orphaned in the session of the agent',
      "( env -i sh -c 'echo $$ > a; exec sleep 60' & ); wait; sleep 60",
    ],
  ])('F24 leaves nothing of a tree with %s', async (_what, script) => {
    const spawnId = randomUUID()
    const root = run(script, { [SPAWN_MARKER]: spawnId })
    const rootIdentity = identify(root.pid!)!
    const escaped = await writtenPid('a')

    expect(await stopProcesses(spawnId, [rootIdentity], { graceMs: 100, workspacePath: directory })).toEqual(CLEAN)
    expect(processState(escaped)).toBe('dead')
    expect(processState(rootIdentity)).toBe('dead')
  })

  it('F24 finds an escaped child by its marker when the agent itself is gone already', async () => {
    const spawnId = randomUUID()
    const root = run("setsid sh -c 'echo $$ > a; exec sleep 60' & sleep 0.3", { [SPAWN_MARKER]: spawnId })
    const rootIdentity = identify(root.pid!)!
    const escaped = await writtenPid('a')
    await waitFor('the root to end', () => processState(rootIdentity) === 'dead')

    expect(await stopProcesses(spawnId, [rootIdentity], { graceMs: 0, workspacePath: directory })).toEqual(CLEAN)
    expect(processState(escaped)).toBe('dead')
  })

  it('F24 loses no child of a process that forks without end and leaves no trace', async () => {
    const spawnId = randomUUID()
    const script = 'echo $$ >> all; while :; do env -i sh -c "echo \\$\\$ >> all; exec sleep 60" & done'
    const root = run(`env -i sh -c '${script}' & wait`, { [SPAWN_MARKER]: spawnId })
    await waitFor('some children', () => pids('all').length > 20)
    expect((await stopProcesses(spawnId, [identify(root.pid!)!], { graceMs: 0 })).left).toEqual([])
    // By their directory: on a busy machine a pid may be somebody else's by now.
    expect(pids('all').filter((pid) => directoryOf(pid) === realpathSync(directory))).toEqual([])
  })

  describe('ends only what is proven to be its own', () => {
    it.each([
      ['an orphan that cleared its environment', {}, ['env', '-i', 'setsid']],
      ['an orphan that cleared it and set a HOME', {}, ['env', '-i', 'HOME=/x', 'setsid']],
      ['a server that a person started there', { HOME: '/x', USER: 'someone' }, ['setsid']],
    ])('%s: named, not ended', async (_what, environment, how) => {
      const spawnId = randomUUID()
      const root = run('exec sleep 60', { [SPAWN_MARKER]: spawnId })
      const rootIdentity = identify(root.pid!)!
      run(`( ${how.join(' ')} sh -c 'echo $$ > a; exec sleep 61' & )`, environment)
      const stranger = await writtenPid('a')
      await waitFor('its adoption', () => parentOf(stranger.pid) !== root.pid)
      const outcome = await stopProcesses(spawnId, [rootIdentity], { graceMs: 50, workspacePath: directory })
      expect(processState(rootIdentity)).toBe('dead')
      expect(processState(stranger)).toBe('alive')
      expect(outcome).toEqual({ left: [], unproven: [{ pid: stranger.pid, command: 'sleep 61' }] })
      process.kill(stranger.pid, 'SIGKILL')
    })

    it('a child of another session in the same directory: neither named nor ended', async () => {
      const [spawnId, other] = [randomUUID(), randomUUID()]
      const root = run('exec sleep 60', { [SPAWN_MARKER]: spawnId })
      run("( setsid sh -c 'echo $$ > a; exec sleep 60' & ); exec sleep 60", { [SPAWN_MARKER]: other })
      const child = await writtenPid('a')
      const options = { graceMs: 50, workspacePath: directory }
      expect(await stopProcesses(spawnId, [identify(root.pid!)!], options)).toEqual(CLEAN)
      expect(processState(child)).toBe('alive')
      process.kill(child.pid, 'SIGKILL')
    })

    it('a process that carries the marker of another start, although it was named as the agent', async () => {
      const other = run('exec sleep 60', { [SPAWN_MARKER]: randomUUID() })
      const identity = await waitFor('its marker', () => withMarker(other.pid!))
      expect(await stopProcesses(randomUUID(), [identity], { graceMs: 50 })).toEqual(CLEAN)
      expect(processState(identity)).toBe('alive')
    })
  })

  it('F23 leaves a stranger alone that has the pid of the agent but another start', async () => {
    const stranger = run('exec sleep 60')
    const identity = identify(stranger.pid!)!
    const old: ProcessIdentity = { ...identity, start: String(Number(identity.start) - 1) }
    expect(await stopProcesses(randomUUID(), [old], { graceMs: 50, workspacePath: directory })).toEqual(CLEAN)
    expect(processState(identity)).toBe('alive')
  })

  it('F23 leaves a process of an earlier boot alone', async () => {
    const stranger = run('exec sleep 60')
    const identity = identify(stranger.pid!)!
    expect(await stopProcesses(randomUUID(), [{ ...identity, boot: 'earlier' }], { graceMs: 0 })).toEqual(CLEAN)
    expect(processState(identity)).toBe('alive')
  })

  it('F24 leaves a user in the same directory alone', async () => {
    const user = run('exec sleep 60')
    const spawnId = randomUUID()
    const root = run('exec sleep 60', { [SPAWN_MARKER]: spawnId })
    await stopProcesses(spawnId, [identify(root.pid!)!], { graceMs: 50, workspacePath: directory })
    expect(processState(identify(user.pid!)!)).toBe('alive')
  })

  it('gives the cooperative signal its time, and SIGKILL only to what ignored it', async () => {
    const spawnId = randomUUID()
    run("trap 'echo bye > said; exit 0' TERM; echo $$ > a; while :; do sleep 0.05; done", { [SPAWN_MARKER]: spawnId })
    await writtenPid('a')
    const order: string[] = []
    await stopProcesses(spawnId, [], {
      graceMs: 5_000,
      afterGrace: async () => {
        order.push(...readdirSync(directory).filter((name) => name === 'said'))
      },
    })
    expect(order).toEqual(['said'])
  })
})

function run(script: string, environment: Record<string, string> = {}): ChildProcess {
  const child = spawn('sh', ['-c', script], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, ...environment },
    stdio: 'ignore',
    detached: true,
  })
  started.push(child)
  return child
}

function withMarker(pid: number): ProcessIdentity | null {
  return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(SPAWN_MARKER) ? identify(pid) : null
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

function pids(file: string): number[] {
  return readFileSync(join(directory, file), 'utf8').split('\n').filter(Boolean).map(Number)
}

async function writtenPid(file: string): Promise<ProcessIdentity> {
  return waitFor(`a process in ${file}`, () => identify(Number(readFileSync(join(directory, file), 'utf8'))))
}

/** null: it has ended. */
function directoryOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}
