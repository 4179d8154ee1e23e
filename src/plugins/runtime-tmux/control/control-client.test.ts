// The one client that a long-lived process keeps: what it leaves alone, and what it survives.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { processesOf, type RuntimeUnderTest, useRuntimeWorld } from '../../../../test/contract/runtime-world.ts'
import { waitFor } from '../../../../test/support/wait-for.ts'
import type { RuntimeHandle } from '../../../contract/session.ts'
import { formatIdentity, identify, processState } from '../../../lib/process/process-identity.ts'
import type { LiveTerminal, RuntimeWatch } from '../../../slots/runtime.ts'
import { plugin } from '../index.ts'
import { isHolder } from '../pane-list.ts'
import { createControlPool } from './control-pool.ts'
import { endOrphanedClients } from './orphaned-clients.ts'

const SUBJECT: RuntimeUnderTest = {
  plugin,
  file: join(import.meta.dirname, '../index.ts'),
  missingCommand: 'ends',
  detachKeys: '',
}

describe('the control client', () => {
  const world = useRuntimeWorld(SUBJECT)
  const closing: Array<() => unknown> = []
  let told: string[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', 'ao', ...args], { env: world.temp.env, encoding: 'utf8' }).trim()
  const holders = () => tmux('list-sessions', '-F', '#{session_name}').split('\n').filter(isHolder)
  const clientPids = () =>
    tmux('list-clients', '-F', '#{client_pid} #{client_control_mode}')
      .split('\n')
      .flatMap((line) => (line.endsWith(' 1') ? Number(line.split(' ')[0]) : []))
  const agentPid = (handle: RuntimeHandle) => processesOf(handle)[0]!

  async function follow(...handles: RuntimeHandle[]): Promise<RuntimeWatch> {
    told = []
    const watch = world.runtime.watch!((ids) => told.push(...ids))
    closing.push(() => watch.close())
    watch.follow(handles)
    await waitFor('the client of this process', () => holders().length === 1)
    return watch
  }

  async function openViewer(handle: RuntimeHandle): Promise<{ live: LiveTerminal; shown(): string; ends: string[] }> {
    let shown = ''
    const ends: string[] = []
    const live = await world.runtime.openTerminal!(handle, {
      onData: (bytes) => {
        shown += Buffer.from(bytes).toString()
      },
      onSize: () => undefined,
      onEnd: (why) => ends.push(why),
    })
    closing.push(() => live.close())
    return { live, shown: () => shown, ends }
  }

  it('belongs to no session, runs nothing, and is gone when it is no longer needed', async () => {
    const handle = await world.start(['sleep', '60'])
    const watch = await follow(handle)
    expect(await world.runtime.listNames!()).toEqual([handle.id])
    const isDead = () => tmux('list-panes', '-s', '-t', holders()[0]!, '-F', '#{pane_dead}') === '1'
    await waitFor('its pane without a process', isDead)
    watch.close()
    await waitFor('its end', () => holders().length === 0)
    expect(clientPids()).toEqual([])
  })

  it('is not opened again by what was still being checked when its last holder left', async () => {
    const handle = await world.start(['sleep', '60'])
    const controls = createControlPool()
    const server = { address: ['-L', 'ao'], configFile: join(world.temp.home, 'tmux.conf'), env: world.temp.env }
    const hold = controls.hold(server, {
      onOutput: () => undefined,
      onNotice: () => undefined,
      onLost: () => undefined,
    })
    expect(await hold.client()).not.toBeNull()
    await hold.release()
    expect(await hold.client()).toBeNull()
    expect(holders()).toEqual([])
    expect(await world.runtime.listNames!()).toEqual([handle.id])
  })

  it('starts no server, and is there when one comes', async () => {
    told = []
    const watch = world.runtime.watch!((ids) => told.push(...ids))
    closing.push(() => watch.close())
    const gone = { id: 'a3b4c5d6e7f8-app-9', runtimeName: 'tmux' }
    watch.follow([gone])
    await waitFor('the news', () => told.length > 0)
    expect(existsSync(join(world.temp.home, '.tmux', `tmux-${process.getuid!()}`, 'ao'))).toBe(false)
    const handle = await world.start(['sleep', '60'])
    watch.follow([handle])
    await waitFor('the client of this process', () => holders().length === 1)
    process.kill(agentPid(handle), 'SIGKILL')
    await waitFor('the news of the new one', () => told.includes(handle.id))
  })

  it('changes the size of no window', async () => {
    const handle = await world.start(['sleep', '60'], { cols: 133, rows: 37 })
    await follow(handle)
    const { shown } = await openViewer(handle)
    await waitFor('the picture', () => shown() !== '')
    const size = tmux(
      'display-message',
      '-p',
      '-t',
      `=${handle.id}:`,
      '#{window_width}x#{window_height} #{window-size}',
    )
    expect(size).toBe('133x37 latest')
  })

  it('answers questions without a new process', async () => {
    const handle = await world.start(['sh', '-c', 'echo words; exec sleep 60'])
    const bin = join(world.temp.home, 'bin')
    mkdirSync(bin)
    copyFileSync(join(import.meta.dirname, '../../../../test/fixtures/tmux-counting.sh'), join(bin, 'tmux'))
    const env = { ...world.temp.env, PATH: `${bin}:${world.temp.env.PATH}` }
    const runtime = plugin.create({}, { ...world.context, env })
    const calls = () => readFileSync(join(world.temp.home, 'tmux-calls'), 'utf8').trim().split('\n')
    const watch = runtime.watch!(() => undefined)
    closing.push(() => watch.close())
    watch.follow([handle])
    await waitFor('the screen', async () => (await runtime.getOutput(handle)) === 'words')
    // Until the client is attached, questions need a process each.
    await waitFor('an answer by the client', async () => {
      const started = calls().length
      return (await runtime.isAlive(handle)) && calls().length === started
    })
    const before = calls().length
    expect(await runtime.isAlive(handle)).toBe(true)
    expect(await runtime.getOutput(handle)).toBe('words')
    expect((await runtime.getOutputs!([handle])).get(handle.id)).toBe('words')
    expect(calls()).toHaveLength(before)
  })

  it('is replaced when it is killed, and readers keep watching', async () => {
    const tui = await world.startTui()
    await follow(tui.handle)
    const { live, shown } = await openViewer(tui.handle)
    await waitFor('the picture', () => shown().includes('tui-echo ready'))
    const [before] = clientPids()
    process.kill(before!, 'SIGKILL')
    await waitFor('another one', () => clientPids().length === 1 && clientPids()[0] !== before)
    live.write(Buffer.from('after it\r'))
    expect(await tui.untilMessages(1)).toEqual(['after it'])
    await waitFor('the new screen', () => shown().includes('1 submitted'))
    for (const pid of processesOf(tui.handle)) process.kill(pid, 'SIGKILL')
    await waitFor('the news', () => told.includes(tui.handle.id))
  })

  it('loses and doubles nothing that is typed while it is killed', async () => {
    const tui = await world.startTui()
    const { live, shown } = await openViewer(tui.handle)
    await waitFor('the picture', () => shown().includes('tui-echo ready'))
    const [client] = clientPids()
    live.write(Buffer.from('first\r'))
    process.kill(client!, 'SIGKILL')
    live.write(Buffer.from('second\r'))
    live.write(Buffer.from('third\r'))
    expect(await tui.untilMessages(3)).toEqual(['first', 'second', 'third'])
    await waitFor('another one', () => clientPids().some((pid) => pid !== client))
    live.write(Buffer.from('fourth\r'))
    expect(await tui.untilMessages(4)).toEqual(['first', 'second', 'third', 'fourth'])
  })

  it('reports all sessions when the server ends', async () => {
    const handles = [await world.start(['sleep', '60']), await world.start(['sleep', '60'])]
    await follow(...handles)
    const { ends } = await openViewer(handles[0]!)
    tmux('kill-server')
    await waitFor('the news', () => handles.every(({ id }) => told.includes(id)))
    await waitFor('the end of the terminal', () => ends.length === 1)
  })

  it('keeps no agent alive whose session is closed while someone looks', async () => {
    const handle = await world.start(['sh', '-c', 'echo here; exec sleep 60'])
    const { shown, ends } = await openViewer(handle)
    await waitFor('the picture', () => shown().includes('here'))
    const pid = agentPid(handle)
    tmux('kill-session', '-t', `=${handle.id}`)
    await waitFor('the end', () => ends.length === 1)
    await waitFor('the end of the agent', () => !processesOf(handle).includes(pid))
  })

  it('does not bring the server down by leaving while others come and go', async () => {
    const handle = await world.start(['sleep', '60'])
    const server = tmux('display-message', '-p', '#{pid}')
    const others = Array.from({ length: 2 }, () =>
      spawn('sh', ['-c', 'while tmux -L ao ls; do :; done'], { env: world.temp.env, stdio: 'ignore', detached: true }),
    )
    try {
      for (let round = 0; round < 12; round++) {
        const { live } = await openViewer(handle)
        await live.close()
      }
    } finally {
      for (const { pid } of others) process.kill(-pid!, 'SIGKILL')
    }
    expect(tmux('display-message', '-p', '#{pid}')).toBe(server)
    await waitFor('nothing of it', () => holders().length === 0)
  })

  it('leaves nothing that the next one does not end when its process is killed', async () => {
    const handle = await world.start(['sh', '-c', 'echo here; exec sleep 60'])
    const script = `
      const { plugin } = await import(process.argv[1])
      const { context, handle } = JSON.parse(process.argv[2])
      const runtime = plugin.create({}, { ...context, log: console })
      await runtime.openTerminal(handle, { onData: () => console.log('open'), onSize() {}, onEnd() {} })
      setInterval(() => undefined, 1000)`
    const context = { home: world.temp.home, env: world.temp.env, configDir: world.temp.home, dataDir: world.temp.home }
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', script, SUBJECT.file, JSON.stringify({ context, handle })],
      { env: world.temp.env, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await new Promise((resolve) => child.stdout.once('data', resolve))
    expect(holders()).toHaveLength(1)
    child.kill('SIGKILL')
    await waitFor('nothing of it', () => {
      endOrphanedClients()
      return holders().length === 0 && clientPids().length === 0
    })
    expect(await world.runtime.isAlive(handle)).toBe(true)
  })

  /**
   * Its owner is gone, and tmux has more for it than it can ever deliver. The owner lives until the client is there: whatever runs
   * on this machine, the tests beside this one too, ends clients without an owner.
   */
  async function startOrphan(handle: RuntimeHandle): Promise<number> {
    const owner = spawn('sleep', ['600'], { stdio: 'ignore' })
    closing.push(() => owner.kill('SIGKILL'))
    const identity = identify(owner.pid!)!
    const child = spawn('tmux', ['-L', 'ao', '-C', 'attach-session', '-t', `=${handle.id}`], {
      env: { ...world.temp.env, AO_TMUX_CONTROL_OWNER: formatIdentity(identity) },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    closing.push(() => child.kill('SIGKILL'))
    await waitFor('the client of the owner', () => {
      if (clientPids().length === 1) return true
      throw new Error(`its exit code is ${child.exitCode}, its signal ${child.signalCode}`)
    })
    owner.kill('SIGKILL')
    await waitFor('the end of the owner', () => processState(identity) === 'dead')
    child.stdin.end()
    child.stdout.destroy()
    return child.pid!
  }

  it('of a killed process does not keep a server from exiting', async () => {
    const handle = await world.start(['yes'])
    await startOrphan(handle)
    tmux('kill-server')
    expect(await world.runtime.listNames!()).toEqual([])
    const next = await world.start(['sleep', '60'])
    expect(await world.runtime.listNames!()).toEqual([next.id])
  })

  it('of a killed process is ended by the next one', async () => {
    const handle = await world.start(['yes'])
    const orphan = await startOrphan(handle)
    await follow(handle)
    await waitFor('its end', () => !clientPids().includes(orphan))
    expect(clientPids()).toHaveLength(1)
  })
})
