// kill -9 after every step of spawn, kill, restore and cleanup, through the real command with real git and tmux. Whatever
// the step: the next command finds what was left and finishes it or rolls it back, and no work is lost.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failpointsIn } from '../../torture/failpoints.ts'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { some } from '../support/cover.ts'

// Not reached by these commands: the steps of a session that waits, and what the demo agent does not have to set up.
const NAMES = failpointsIn(['manager']).filter((name) => !/\.(?:set-up|waits|start-announced)$/.test(name))
const of = (operation: string): string[] => NAMES.filter((name) => name.startsWith(`${operation}.`))

let ao: AoHome

beforeEach(async () => {
  ao = await createAoHome()
})
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

const WORK = 'work that nobody committed\n'

/** A running session with uncommitted work in its worktree. */
function spawnWithWork(): string {
  const id = ao.spawn()
  writeFileSync(join(ao.worktree(id), 'work.txt'), WORK)
  return id
}

/** The next command a person would type, whatever it is: here another spawn. */
function nextCommand(): string {
  return ao.spawn()
}

it('finds every failpoint of the manager', () => {
  expect(of('spawn')).toContain('spawn.runtime-started')
  expect(of('kill')).toContain('kill.work-saved')
  expect(of('cleanup')).toContain('cleanup.work-saved')
  expect(of('restore')).toContain('restore.work-applied')
})

describe('kill -9 of a spawn', () => {
  it.each(of('spawn'))('%s', (point) => {
    const crashed = ao.run(['spawn', '--prompt', 'first', '--json'], { AO_FAILPOINT: point })
    expect(crashed.signal).toBe('SIGKILL')
    const seen = ao.list()
    expect(seen.map(({ id }) => id)).toEqual(['app-1'])

    const next = nextCommand()
    const after = ao.list().map(({ id, status }) => ({ id, status }))
    const isKept = after.some(({ id }) => id === 'app-1')
    const kept = isKept ? ['app-1', next] : [next]
    expect(after).toEqual(kept.map((id) => ({ id, status: 'working' })))
    expect(ao.tmuxSessions().sort()).toEqual(kept.sort())
    expect(ao.worktrees().sort()).toEqual(kept.sort())
    expect(ao.branches()).toEqual(['main', ...kept.map((id) => `session/${id}`)])
    expect(ao.stateDirs().sort()).toEqual(kept.sort())
    // An agent that already ran is kept; before that nothing stays.
    expect(isKept).toBe(['spawn.runtime-started', 'spawn.recorded'].includes(point))
  })
})

describe('kill -9 of a purge', () => {
  it.each([...some(of('kill')), 'store.archive-written'])('%s', (point) => {
    const id = spawnWithWork()
    expect(ao.run(['session', 'kill', id, '--purge'], { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
    const next = nextCommand()
    expectRemoved(id, next)
    expectRestorable(id)
  })
})

describe('kill -9 of a kill that keeps the worktree', () => {
  it.each(of('kill').filter((name) => ['kill.announced', 'kill.runtime-stopped'].includes(name)))('%s', (point) => {
    const id = spawnWithWork()
    expect(ao.run(['session', 'kill', id], { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
    const next = nextCommand()
    expect(ao.list().map(({ id: one, status }) => [one, status])).toEqual([
      [id, 'killed'],
      [next, 'working'],
    ])
    expect(readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8')).toBe(WORK)
    expect(ao.tmuxSessions()).toEqual([next])
  })
})

describe('kill -9 of a cleanup', () => {
  // A purge takes the same steps, and tries all of them.
  it.each(some(of('cleanup'), 3))('%s', (point) => {
    const id = spawnWithWork()
    ao.ok(['session', 'kill', id])
    expect(ao.run(['session', 'cleanup'], { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
    const next = nextCommand()
    expectRemoved(id, next)
    expectRestorable(id)
  })
})

describe('kill -9 of a restore', () => {
  it.each(some(of('restore'), 3))('from the archive, %s', (point) => {
    const id = spawnWithWork()
    ao.ok(['session', 'kill', id, '--purge'])
    expect(ao.run(['session', 'restore', id], { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
    settleRestored(id)
  })

  const withWorktree = of('restore').filter((name) => !name.startsWith('restore.work'))
  // The archive tries all of them.
  it.each(some(withWorktree, 4))('of a killed session, %s', (point) => {
    const id = spawnWithWork()
    ao.ok(['session', 'kill', id])
    expect(ao.run(['session', 'restore', id], { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
    settleRestored(id)
  })
})

it('a purge and a cleanup say where they saved uncommitted work', () => {
  const first = spawnWithWork()
  expect(ao.ok(['session', 'kill', first, '--purge'])).toContain(`is saved in refs/ao/rescue/${first}/1`)
  const second = spawnWithWork()
  ao.ok(['session', 'kill', second])
  expect(ao.ok(['session', 'cleanup'])).toContain(`is saved in refs/ao/rescue/${second}/1`)
})

function settleRestored(id: string): void {
  const next = nextCommand()
  const running = ao.list().some((one) => one.id === id && one.status === 'working')
  if (!running) ao.ok(['session', 'restore', id])
  expect(ao.list().map((one) => [one.id, one.status])).toEqual([
    [id, 'working'],
    [next, 'working'],
  ])
  expect(ao.tmuxSessions().sort()).toEqual([id, next].sort())
  expect(readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8')).toBe(WORK)
}

function expectRemoved(id: string, next: string): void {
  expect(ao.list().map((one) => one.id)).toEqual([next])
  expect(ao.tmuxSessions()).toEqual([next])
  expect(ao.worktrees()).toEqual([next])
  expect(existsSync(ao.worktree(id))).toBe(false)
  // Killed between the two, it is archived by both.
  expect(new Set(ao.archived())).toEqual(new Set([id]))
}

function expectRestorable(id: string): void {
  ao.ok(['session', 'restore', id])
  expect(readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8')).toBe(WORK)
}
