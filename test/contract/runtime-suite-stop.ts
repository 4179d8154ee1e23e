// Stopped means that no process of the session is left, and that a stop can be repeated.

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { LeftProcess } from '../../src/contract/session.ts'
import { identify, type ProcessIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { findBySpawnMarker, SPAWN_MARKER, stopProcesses } from '../../src/lib/process/process-tree.ts'
import { waitFor } from '../support/wait-for.ts'
import { contextOf, processesOf, type RuntimeUnderTest, type RuntimeWorld, untilDead } from './runtime-world.ts'

/** Each writes the pid of what escaped into `$PID`. */
const ESCAPES: ReadonlyArray<readonly [what: string, script: string]> = [
  ['setsid', 'setsid sh -c \'echo $$ > "$PID"; exec sleep 60\' &'],
  ['nohup', 'nohup sleep 60 > /dev/null 2>&1 & echo $! > "$PID"'],
  ['a double fork', '( setsid sh -c \'echo $$ > "$PID"; exec sleep 60\' & )'],
  ['ignored signals', "( trap '' HUP TERM INT; setsid sh -c 'echo $$ > \"$PID\"; exec sleep 60' & )"],
  // By path: some shells have commands of these names built in, with fewer options.
  [
    'a cleared environment',
    '/usr/bin/env -i PID="$PID" HOME=/x /usr/bin/setsid -w sh -c \'echo $$ > "$PID"; exec sleep 60\' &',
  ],
]

/** No marker, no parent, no session: nothing distinguishes it from a server that a person started there. */
const TRACELESS = '( env -i PID="$PID" HOME=/x setsid sh -c \'echo $$ > "$PID"; exec sleep 60\' & )'

export function testStop(world: RuntimeWorld, subject: RuntimeUnderTest): void {
  const startByHand = subject.elsewhere?.byHand ?? ((script: string) => void execFileSync('sh', ['-c', script]))

  it.each(ESCAPES)('S0.60 F24 ends a child that escaped with %s', async (_what, script) => {
    const handle = await startEscape(world, `${script}\nexec sleep 60`)
    const escaped = await escapedChild(world)
    await world.runtime.destroy(handle)
    expect(processState(escaped)).toBe('dead')
    expect(processesOf(handle)).toEqual([])
    expect(await world.runtime.isAlive(handle)).toBe(false)
  })

  it.skipIf(subject.elsewhere?.endsEverything)(
    'S0.60 names a child that left no trace, and leaves it and whatever else works there running',
    async () => {
      const handle = await startEscape(world, `${TRACELESS}\nexec sleep 60`)
      const traceless = await escapedChild(world)
      startByHand(`cd '${world.launchOf([]).workspacePath}' && setsid -f sleep 62 </dev/null >/dev/null 2>&1`)
      const named: LeftProcess[] = []
      await world.runtime.destroy(handle, { onLeftRunning: (processes) => named.push(...processes) })
      expect(processState(traceless)).toBe('alive')
      expect(named.map(({ command }) => command).sort()).toEqual(['sleep 60', 'sleep 62'])
      expect(named.map(({ pid }) => pid)).toContain(traceless.pid)
      for (const { pid } of named) process.kill(pid, 'SIGKILL')
    },
  )

  it('F24 ends what is left of an agent that was killed with -9', async () => {
    const handle = await startEscape(world, `${ESCAPES[0]![1]}\necho $$ > "$PID.agent"; exec sleep 60`)
    const escaped = await escapedChild(world)
    const agent = await waitFor('the agent', () => readPid(join(world.temp.home, 'escaped.agent')))
    process.kill(agent.pid, 'SIGKILL')
    await untilDead(world.runtime, handle)
    // agh ends what is left as soon as it sees the agent's end.
    if (!subject.speaksAcp) expect(processState(escaped)).toBe('alive')
    await world.runtime.destroy(handle)
    expect(processState(escaped)).toBe('dead')
  })

  it('S0.60 asks first: an agent has time to say goodbye', async () => {
    const file = join(world.temp.home, 'goodbye')
    const handle = await world.start([
      'sh',
      '-c',
      `trap 'echo bye > "${file}"; exit 0' TERM; echo up; while :; do sleep 0.05; done`,
    ])
    await waitFor('the agent', async () => (await world.runtime.getOutput(handle)).includes('up'))
    await world.runtime.destroy(handle)
    expect(readFileSync(file, 'utf8')).toBe('bye\n')
  })

  it('S0.60 does not ask with force', async () => {
    const file = join(world.temp.home, 'goodbye')
    const handle = await world.start([
      'sh',
      '-c',
      `trap 'echo bye > "${file}"' TERM; echo up; while :; do sleep 0.05; done`,
    ])
    await waitFor('the agent', async () => (await world.runtime.getOutput(handle)).includes('up'))
    await world.runtime.destroy(handle, { force: true })
    expect(existsSync(file)).toBe(false)
    expect(processesOf(handle)).toEqual([])
  })

  it('S0.60 is the same when repeated, and for a session that ended on its own', async () => {
    const handle = await world.start(['sleep', '60'])
    await world.runtime.destroy(handle)
    await world.runtime.destroy(handle)
    const ended = await world.start(['true'])
    await untilDead(world.runtime, ended)
    await world.runtime.destroy(ended)
    await world.runtime.destroy(ended, { force: true })
    expect(await world.runtime.isAlive(ended)).toBe(false)
  })

  it('a name can be used again after its session was destroyed, and the old handle means nothing then', async () => {
    const first = world.launchOf(['sleep', '60'])
    const old = await world.start(first.command, first)
    await world.runtime.destroy(old)
    const { spawnId: _, ...same } = first
    const now = await world.start(['sleep', '60'], same)
    expect(await world.runtime.isAlive(old)).toBe(false)
    await world.runtime.destroy(old)
    expect(await world.runtime.isAlive(now)).toBe(true)
  })

  it('S0.60 leaves a session alone that was started from inside the stopped one', async () => {
    // As `ao spawn` inside an agent would: the environment of that agent is around it.
    const outer = randomUUID()
    const inside = { ...world.context, env: { ...world.temp.env, [SPAWN_MARKER]: outer } }
    const inner = await subject.plugin.create({}, inside).create(world.launchOf(['sleep', '60']))
    expect(findBySpawnMarker(outer)).toEqual([])
    expect(await stopProcesses(outer, [], { graceMs: 0 })).toEqual({ left: [], unproven: [] })
    expect(await world.runtime.isAlive(inner)).toBe(true)
    await world.runtime.destroy(inner)
  })

  it('a new runtime knows the sessions of the previous one', async () => {
    const tui = await world.startTui()
    const handle = JSON.parse(JSON.stringify(tui.handle))
    const later = subject.plugin.create({ graceMs: 200 }, contextOf(world.temp))
    expect(await later.isAlive(handle)).toBe(true)
    await later.sendMessage(handle, 'from a later process')
    expect(await tui.untilMessages(1)).toEqual(['from a later process'])
    await later.destroy(handle)
    expect(await world.runtime.isAlive(handle)).toBe(false)
  })
}

function startEscape(world: RuntimeWorld, script: string) {
  const launch = world.launchOf(['sh', '-c', script])
  const PID = join(world.temp.home, 'escaped')
  return world.start(launch.command, { environment: { ...launch.environment, PID } })
}

function escapedChild(world: RuntimeWorld): Promise<ProcessIdentity> {
  return waitFor('the escaped child', () => readPid(join(world.temp.home, 'escaped')))
}

function readPid(file: string): ProcessIdentity | null {
  return identify(Number(readFileSync(file, 'utf8')))
}
