// A disk without space, and one that cannot be written: an agent can still be stopped, and nothing is claimed that is not so.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
let disk: string

beforeAll(() => buildAo())
beforeEach(async () => {
  world = createAoWorld()
  disk = join(world.temp.home, '.agent-orchestrator')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'ao-test', disk])
  expect(await world.ao(['spawn', '--prompt', 'demo: ask Which?'])).toMatchObject({ code: 0 })
  // An agent that cannot write its first file would end by itself.
  expect(await world.ao(['session', 'wait', 'app-1', '--for', 'needs_input'])).toMatchObject({ code: 0 })
})
afterEach(async () => {
  spawnSync('tmux', ['-L', 'ao', 'kill-server'], { env: world.temp.env })
  // Lazily, and twice where a second one lies above it.
  for (let n = 0; n < 2; n++) spawnSync('umount', ['--lazy', disk])
  expect(await world.temp.cleanup()).toEqual([])
})

/** Only where file systems can be mounted. */
const canMount = (() => {
  const probe = '/tmp/ao-can-mount'
  mkdirSync(probe, { recursive: true })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'ao-probe', probe]).status === 0
  if (mounted) spawnSync('umount', [probe])
  rmSync(probe, { recursive: true, force: true })
  return mounted
})()

const fill = () => spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'ballast')}`, 'bs=1k', 'count=2000'])
const agents = () =>
  spawnSync('tmux', ['-L', 'ao', 'ls', '-F', '#{session_name}'], { env: world.temp.env, encoding: 'utf8' })
    .stdout.split('\n')
    .filter((name) => name.endsWith('app-1'))
const status = async () =>
  (await world.json<{ sessions: Array<{ id: string; status: string }> }>(['session', 'ls'])).sessions[0]

describe.runIf(canMount)('a disk that cannot be written', () => {
  it.each([
    ['full', fill, () => rmSync(join(disk, 'ballast')), 'DISK_FULL'],
    [
      'read-only',
      () => {
        // Over itself: the agent has files open for writing below.
        execFileSync('mount', ['--bind', disk, disk])
        execFileSync('mount', ['-o', 'remount,ro,bind', disk])
      },
      () => execFileSync('umount', [disk]),
      'DISK_READ_ONLY',
    ],
  ])('lets an agent be stopped, and says that it is not recorded: %s', async (_kind, make, mend, code) => {
    make()
    expect(agents()).toHaveLength(1)
    const sent = await world.json<{ error: { code: string; message: string } }>(['send', 'app-1', 'hello', '--no-wait'])
    expect(sent).toMatchObject({ code: 1, error: { code, message: expect.stringContaining('was not sent') } })

    const killed = await world.json<{ error: object }>(['session', 'kill', 'app-1'])
    expect(killed).toMatchObject({ code: 1, error: { code, details: { stopped: true } } })
    expect(killed.error).toMatchObject({
      message: expect.stringContaining('was stopped, but that could not be recorded'),
    })
    expect(agents()).toEqual([])
    expect(await status()).toMatchObject({ status: 'killed' })

    mend()
    expect(await world.ao(['session', 'kill', 'app-1'])).toMatchObject({ code: 0 })
    expect(await status()).toMatchObject({ status: 'killed' })
    expect(await world.ao(['session', 'restore', 'app-1'])).toMatchObject({ code: 0 })
    expect(agents()).toHaveLength(1)
  })

  it('keeps the workspace of a purge that cannot be recorded', async () => {
    const file = join(world.temp.home, '.worktrees', 'app', 'app-1', 'precious.txt')
    writeFileSync(file, 'work\n')
    fill()
    const killed = await world.json<{ error: object }>(['session', 'kill', 'app-1', '--purge'])
    expect(killed).toMatchObject({ code: 1, error: { code: 'DISK_FULL' } })
    expect(agents()).toEqual([])
    rmSync(join(disk, 'ballast'))
    expect(await world.ao(['session', 'kill', 'app-1', '--purge'])).toMatchObject({ code: 0 })
    expect(await world.ao(['session', 'restore', 'app-1'])).toMatchObject({ code: 0 })
    expect(execFileSync('cat', [file], { encoding: 'utf8' })).toBe('work\n')
  })
})
