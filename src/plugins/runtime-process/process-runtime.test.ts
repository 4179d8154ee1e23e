import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contextOf, processesOf, untilDead, useRuntimeWorld } from '../../../test/contract/runtime-world.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import type { HostEvent } from './host/host-protocol.ts'
import { plugin } from './index.ts'

const world = useRuntimeWorld({
  plugin,
  file: join(import.meta.dirname, 'index.ts'),
  missingCommand: 'refused',
  detachKeys: '\u001d',
})

function hostPid(handle: RuntimeHandle): number {
  return Number(String(handle.data?.host).split(':')[0])
}

describe('the host', () => {
  it('S0.3 needs no tmux', async () => {
    const env = { ...world.temp.env, PATH: world.temp.home }
    const runtime = plugin.create({}, { ...contextOf(world.temp), env })
    const launch = world.launchOf(['/bin/sleep', '60'])
    const handle = await runtime.create(launch)
    expect(await runtime.isAlive(handle)).toBe(true)
    await runtime.destroy(handle)
  })

  it('F29 is killed with -9: the agent ends with its terminal, and both are known to be dead', async () => {
    const handle = await world.start(['sleep', '60'])
    process.kill(hostPid(handle), 'SIGKILL')
    expect(await untilDead(world.runtime, handle)).toMatchObject({
      exitCode: null,
      why: expect.stringContaining('host'),
    })
    await expect(world.runtime.sendMessage(handle, 'x')).rejects.toMatchObject({ details: { pasted: false } })
    await world.runtime.destroy(handle)
    expect(existsSync(String(handle.data?.socket))).toBe(false)
  })

  it('is ended with SIGTERM: it ends the agent too and records how it ended', async () => {
    const handle = await world.start(['sleep', '60'])
    process.kill(hostPid(handle), 'SIGTERM')
    expect(await untilDead(world.runtime, handle)).toMatchObject({ signal: 'SIGKILL' })
    await waitFor('the host to end', () => !existsSync(`/proc/${hostPid(handle)}/environ`) || isZombie(hostPid(handle)))
    expect(processesOf(handle)).toEqual([])
  })

  it('keeps its secrets: launch file gone, socket for this user only, nothing inherited by the agent', async () => {
    const launch = world.launchOf(['sleep', '60'], { environment: { SECRET: 'hidden-4711' } })
    const handle = await world.start(launch.command, launch)
    expect(readdirSync(launch.stateDir).filter((name) => name.startsWith('process-launch'))).toEqual([])
    const socket = String(handle.data?.socket)
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)
    expect(readFileSync(`/proc/${hostPid(handle)}/environ`, 'utf8')).not.toContain('hidden-4711')
    const agent = Number(String(handle.data?.agent).split(':')[0])
    // High ones are inherited from the test runner.
    const descriptors = readdirSync(`/proc/${agent}/fd`).map(Number)
    expect(descriptors.filter((fd) => fd < 64).toSorted()).toEqual([0, 1, 2])
  })

  it('S2.45 leaves the proof of the end in a file', async () => {
    const launch = world.launchOf(['sh', '-c', 'echo goodbye; exit 4'])
    const handle = await world.start(launch.command, launch)
    await untilDead(world.runtime, handle)
    const exit = JSON.parse(readFileSync(join(launch.stateDir, `process-exit-${launch.spawnId}.json`), 'utf8'))
    expect(exit).toMatchObject({ exitCode: 4, signal: null, screen: 'goodbye', spawnId: launch.spawnId })
  })

  it('gives up a message that its agent does not read, and stays responsive', async () => {
    const { handle } = await world.startTui(['--deaf'])
    const sent = world.runtime.sendMessage(handle, 'nobody reads this\n'.repeat(34_000))
    const failed = expect(sent).rejects.toMatchObject({
      message: expect.stringMatching(/the agent stopped reading its terminal: \d+ of 612012 bytes were entered/),
      details: { pasted: true },
    })
    await waitFor('the screen while it is sent', async () => (await world.runtime.getOutput(handle)).includes('....'))
    await failed
    expect(await world.runtime.listNames?.()).toContain(handle.id)
    await world.runtime.destroy(handle)
    expect(processesOf(handle)).toEqual([])
  })

  it('costs nothing while its agent is idle', async () => {
    const handle = await world.start(['sleep', '60'])
    await world.runtime.getOutput(handle)
    const before = cpuTicks(hostPid(handle))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(cpuTicks(hostPid(handle)) - before).toBeLessThanOrEqual(3)
    expect(residentMegabytes(hostPid(handle))).toBeLessThan(110)
  })

  it('keeps up with a flood, and stays small', async () => {
    const handle = await world.start(['sh', '-c', 'yes flood | head -c 8000000; echo; echo dry; exec sleep 60'])
    await waitFor('the end of the flood', async () => (await world.runtime.getOutput(handle, 3)).endsWith('dry'))
    expect(residentMegabytes(hostPid(handle))).toBeLessThan(160)
  })

  it('outlives nonsense on its socket', async () => {
    const handle = await world.start(['sleep', '60'])
    for (const line of ['no json\n', '{"op":"what"}\n', '{"op":"resize","cols":-1,"rows":"x"}\n', 'null\n']) {
      await new Promise<void>((resolve) => {
        const socket = connect(String(handle.data?.socket), () => socket.end(line))
        socket.on('close', () => resolve())
        socket.on('error', () => resolve())
        socket.resume()
      })
    }
    expect(await world.runtime.isAlive(handle)).toBe(true)
    expect(await world.runtime.getOutput(handle)).toBe('')
  })
})

describe('a person who watches', () => {
  it('S0.58 and reads slowly delays nobody, and sees the whole screen when ready again', async () => {
    const done = join(world.temp.home, 'done')
    const script = `echo up; read go; yes flood | head -c 6000000; echo done > '${done}'; echo; echo dry; exec sleep 60`
    const handle = await world.start(['sh', '-c', script])
    const socket = connect(String(handle.data?.socket))
    socket.setEncoding('utf8')
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    socket.write('{"op":"attach","cols":80,"rows":24}\n')
    await new Promise<void>((resolve) => socket.once('data', () => resolve()))
    socket.pause()
    socket.write('{"op":"input","data":"go\\r"}\n')
    await waitFor('the agent to finish', () => existsSync(done))
    expect(residentMegabytes(hostPid(handle))).toBeLessThan(160)

    let text = ''
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.resume()
    await waitFor('the last screen', () => {
      const events = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as HostEvent)
      const last = events.findLast((one) => one.event === 'screen')
      return last?.event === 'screen' && last.data.includes('dry')
    })
    expect(text.length).toBeLessThan(4_000_000)
    socket.destroy()
  })
})

describe('the plugin', () => {
  it('S0.3 is usable on this machine', async () => {
    expect(await plugin.detect!(contextOf(world.temp))).toMatchObject({ ok: true })
  })

  it('refuses options that it does not know', () => {
    expect(() => plugin.create({ grace: 1 }, contextOf(world.temp))).toThrow(/has no option grace/)
    expect(() => plugin.create({ graceMs: -1 }, contextOf(world.temp))).toThrow(/graceMs/)
  })

  it('S2.81 acts on no handle that it did not make', async () => {
    const foreign = { id: 'x', runtimeName: 'process' }
    await expect(world.runtime.sendMessage(foreign, 'x')).rejects.toMatchObject({ code: 'RUNTIME_FAILED' })
    await expect(world.runtime.isAlive(foreign)).rejects.toMatchObject({ code: 'RUNTIME_FAILED' })
    expect((await world.runtime.probe!([foreign])).get('x')).toMatchObject({ state: 'unknown' })
    expect(await world.runtime.getOutput(foreign)).toBe('')
  })
})

function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function isZombie(pid: number): boolean {
  return statFields(pid)[0] === 'Z'
}

function cpuTicks(pid: number): number {
  const fields = statFields(pid)
  return Number(fields[11]) + Number(fields[12])
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
