import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contextOf, processesOf, untilDead, useRuntimeWorld } from '../../../test/contract/runtime-world.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { hostDirectory, readExitRecord } from '../../host/files.ts'
import { createFrameReader, encodeFrame, type HostFrame } from '../../host/protocol.ts'
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
    expect(await untilDead(world.runtime, handle)).toMatchObject({ signal: 'SIGTERM' })
    await waitFor('the host to end', () => !existsSync(`/proc/${hostPid(handle)}/environ`) || isZombie(hostPid(handle)))
    expect(processesOf(handle)).toEqual([])
  })

  it('keeps its secrets: none on disk, socket for this user only, nothing inherited by the agent', async () => {
    const launch = world.launchOf(['sleep', '60'], { environment: { SECRET: 'hidden-4711' } })
    const handle = await world.start(launch.command, launch)
    const files = readdirSync(launch.stateDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    expect(texts.filter((text) => text.includes('hidden-4711'))).toEqual([])
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
    const exit = readExitRecord(hostDirectory(launch.stateDir, launch.spawnId))
    expect(exit).toMatchObject({ code: 4, signal: null, screen: 'goodbye', spawnId: launch.spawnId })
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
    const hello = '{"op":"hello","version":1}\n'
    const nonsense = [
      'no json\n',
      'null\n',
      '{"op":"what"}\n',
      `${hello}{"op":"what"}\n`,
      `${hello}{"op":"resize","cols":-1,"rows":"x"}\n`,
      `${hello}{"op":"screen"}\n{"op":"paste","n":1}\n{"op":"seen"}\n{"op":"stop!"}\n`,
      '{"op":"hello","version":1,"after":0}\n{"op":"leave"}\n',
      '{"op":"hello","version":99}\n{"op":"stop","graceMs":0}\n',
      '{"op":"stop","graceMs":0}\n{"op":"paste","text":"of an old client","n":1}\n',
    ]
    for (const line of nonsense) {
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
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    const frames = [{ op: 'hello', version: 1 } as const, { op: 'view', answers: false } as const]
    for (const frame of frames) socket.write(encodeFrame(frame))
    await new Promise<void>((resolve) => socket.once('readable', resolve))
    socket.write(encodeFrame({ op: 'in' }, Buffer.from('go\r')))
    await waitFor('the agent to finish', () => existsSync(done))
    expect(residentMegabytes(hostPid(handle))).toBeLessThan(160)

    let bytes = 0
    let picture = ''
    let next = 0
    const feed = createFrameReader<HostFrame>((frame, payload) => {
      if (frame.op === 'picture') picture = payload.toString()
      // What follows a picture continues it exactly.
      else if (frame.op === 'out') expect(frame.at).toBe(next)
      if (frame.op === 'picture') next = frame.at
      if (frame.op === 'out') next += payload.length
    })
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      feed(chunk)
    })
    await waitFor('the last screen', () => picture.includes('dry'))
    expect(bytes).toBeLessThan(4_000_000)
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
