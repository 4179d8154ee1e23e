// The process that starts an agent may die at any moment. Whatever it left is found, or will never start.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type ProcessRow, readProcessTable } from '../../src/lib/process/process-table.ts'
import { findBySpawnMarker, SPAWN_MARKER } from '../../src/lib/process/process-tree.ts'
import type { RuntimeLaunch } from '../../src/slots/runtime.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'
import type { RuntimeUnderTest, RuntimeWorld } from './runtime-world.ts'

const CHILD = testProgram('create-in-child')

export function createInChild(world: RuntimeWorld, subject: RuntimeUnderTest, launches: RuntimeLaunch[]): ChildProcess {
  const job = join(world.temp.home, `job-${launches[0]!.spawnId}.json`)
  writeFileSync(job, JSON.stringify({ context: { ...world.context, log: undefined }, launches }))
  return spawn(process.execPath, [CHILD, subject.file, job], {
    env: world.temp.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

export function untilExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', (code) => resolve(code)))
}

export function testCrash(world: RuntimeWorld, subject: RuntimeUnderTest): void {
  it('finds a session whose creator died before it wrote the handle down', async () => {
    const launch = world.launchOf(['sleep', '60'])
    const child = createInChild(world, subject, [launch])
    child.stdout!.on('data', (chunk) => String(chunk).includes(launch.name) && child.kill('SIGKILL'))
    await untilExit(child)
    // One that has not begun yet is not begun by anybody later: looking for it sees to that.
    const isOurs = (row: ProcessRow) => row.environment.value(SPAWN_MARKER) === launch.spawnId
    await waitFor('its agent', () =>
      readProcessTable().some((row) => isOurs(row) && /sleep 60/.test(row.commandLine())),
    )
    const handle = await world.runtime.find!(launch)
    expect(handle?.id).toBe(launch.name)
    expect(await world.runtime.isAlive(handle!)).toBe(true)
    await world.runtime.destroy(handle!)
    expect(findBySpawnMarker(launch.spawnId)).toEqual([])
    expect(await world.runtime.isAlive(handle!)).toBe(false)
  })

  it('finds nothing of a launch that never was, nor of another launch with the same name', async () => {
    const launch = world.launchOf(['sleep', '60'])
    expect(await world.runtime.find!(launch)).toBeNull()
    const handle = await world.start(launch.command, launch)
    expect(await world.runtime.find!({ ...launch, spawnId: 'another' })).toBeNull()
    expect(await world.runtime.find!(launch)).toEqual(handle)
  })

  it('leaves nothing behind, whenever the creator is killed', async () => {
    // From the first step to after the last one, on a fast machine and on a slow one.
    const delays = [0, 3, 8, 15, 30, 60, 120, 240]
    const launches = delays.map(() => world.launchOf(['sleep', '60']))
    await Promise.all(
      launches.map(async (launch, index) => {
        const child = createInChild(world, subject, [launch])
        child.stdout!.once('data', () => setTimeout(() => child.kill('SIGKILL'), delays[index]))
        await untilExit(child)
        const handle = await world.runtime.find!(launch)
        if (handle) await world.runtime.destroy(handle)
      }),
    )
    const left = () => launches.flatMap((launch) => findBySpawnMarker(launch.spawnId))
    // What was on its way when the creator died has this long to show up, and must not.
    const quietUntil = Date.now() + 500
    await waitFor('half a second of quiet', () => {
      expect(left()).toEqual([])
      return Date.now() > quietUntil
    })
  })
}
