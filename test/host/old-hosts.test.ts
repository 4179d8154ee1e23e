// After an upgrade, agents go on whose hosts are of the version before: nothing is lost, and nothing happens twice.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { promptSession, startRepairs, stopSession } from '../../src/agh/runtime.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import type { RuntimeHandle } from '../../src/contract/session.ts'
import { createScreen } from '../../src/host/io/screen.ts'
import { readExit } from '../../src/host/launches.ts'
import { plugin } from '../../src/plugins/runtime-process/index.ts'
import type { RuntimeLaunch, TerminalViewer } from '../../src/slots/runtime.ts'
import { recordingDirectory } from '../../src/store/recording/recording-files.ts'
import { type AghHome, createAghHome, text } from '../agh/agh-home.ts'
import { expectTurnsWhole } from '../agh/check-history.ts'
import { hostIdentity, hostOf } from '../agh/host-of.ts'
import { processesOf, untilDead, useRuntimeWorld } from '../contract/runtime-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { oldHostPool, startOldTerminal } from './old-hosts.ts'

describe('an agent on pipes', () => {
  let agh: AghHome
  afterEach(async () => {
    expect(await agh.cleanup()).toEqual([])
  })

  it('is read on in the middle of its turn, and ends as it would have', async () => {
    agh = createAghHome({ agent: 'resume' })
    Object.assign(agh.context, { hosts: oldHostPool() })
    const { id } = await agh.create()
    const host = hostIdentity(agh.context.paths, id)
    expect(readFileSync(`/proc/${host.pid}/cmdline`, 'utf8')).toContain('old-hosts/agent-host.cjs')
    await promptSession(agh.context, id, 'stream 3000\nsleep 300\nsay last')
    await waitFor('a part of the turn', async () => text(await agh.events(id)).includes('100 '))
    expect(text(await agh.events(id))).not.toContain('last')
    agh.restart()
    await startRepairs(agh.context).ready()
    expect(hostIdentity(agh.context.paths, id)).toEqual(host)
    const hasEnded = (events: SessionEvent[]) => events.some(({ type }) => type === 'done')
    await waitFor('the end of the turn', async () => hasEnded(await agh.events(id)))
    const all = await agh.events(id)
    expectTurnsWhole(all)
    expect(text(all)).toBe(`${Array.from({ length: 3_000 }, (_, n) => `${n} `).join('')}last`)
    await agh.prompt(id, 'say again')
    expect(agh.agentLog()).toEqual(['initialize', 'session/new', 'session/prompt', 'session/prompt'])
    await stopSession(agh.context, id, null)
    expect(await agh.stopped(id)).toMatchObject({ state: 'stopped' })
    expect(hostOf(agh.context.paths, id)).toBeNull()
  })
})

describe('an agent on a terminal', () => {
  const world = useRuntimeWorld({
    plugin,
    file: join(import.meta.dirname, '../../src/plugins/runtime-process/index.ts'),
    missingCommand: 'refused',
    detachKeys: '\u001d',
  })
  const TUI = join(import.meta.dirname, '..', 'fixtures', 'tui-echo.mjs')

  async function startOld(launch: RuntimeLaunch): Promise<RuntimeHandle> {
    await startOldTerminal(world.temp.home, launch)
    const handle = (await world.runtime.find!(launch))!
    expect(await world.runtime.isAlive(handle)).toBe(true)
    return handle
  }

  it('is found, gets each message once, and is ended', async () => {
    const log = join(world.temp.home, 'messages.jsonl')
    const launch = world.launchOf([process.execPath, TUI, '--loud=2000'], { environment: { TUI_LOG: log } })
    const handle = await startOld(launch)
    expect(await world.runtime.listNames!()).toEqual([launch.name])
    await waitFor('its screen', async () => (await world.runtime.getOutput(handle)).includes('tui-echo ready'))
    // More than a terminal buffers, to an agent that draws while it reads.
    const long = 'a line of a long message\n'.repeat(2_500).trimEnd()
    await world.runtime.sendMessage(handle, long)
    await world.runtime.sendMessage(handle, 'and a short one', { check: async (screen) => expect(screen).not.toBe('') })
    const messages = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
    await waitFor('both messages', () => messages().length === 2)
    expect(messages().map((line) => JSON.parse(line).text)).toEqual([long, 'and a short one'])
    expect(await world.runtime.getStyledScreen!(handle)).toContain('\u001b[0;39;49m')
    await expect(world.runtime.create({ ...launch, spawnId: 'another' })).rejects.toThrow(/runs already/)
    await world.runtime.destroy(handle)
    expect(processesOf(handle)).toEqual([])
    expect(readdirSync(launch.stateDir).filter((name) => name.startsWith('process-'))).toEqual([])
  })

  it('is shown from the middle of its output on: no byte is missing, none is shown twice', async () => {
    const go = join(world.temp.home, 'go')
    const count = 'for i in $(seq 0 2999); do echo "line $i"; done'
    const script = `echo ready; ${count.replace('2999', '999')}; while [ ! -e '${go}' ]; do sleep 0.05; done; ${count}; exec sleep 60`
    const handle = await startOld(world.launchOf(['sh', '-c', script]))
    await waitFor('the first half', async () => (await world.runtime.getOutput(handle, 2)).includes('line 999'))
    const screen = createScreen(120, 40)
    let size: { cols: number; rows: number } | null = null
    const viewer: TerminalViewer = {
      onData: (data) => screen.write(Buffer.from(data).toString('utf8'), () => undefined),
      onSize: (now) => {
        size = now
      },
      onEnd: () => undefined,
    }
    const terminal = await world.runtime.openTerminal!(handle, viewer)
    expect(terminal.size).toEqual({ cols: 120, rows: 40 })
    writeFileSync(go, '')
    const expected = ['ready', ...lines(1_000), ...lines(3_000)].join('\n')
    await waitFor('all of it', async () => {
      await screen.flush()
      return screen.text(10_000) === expected
    })
    terminal.resize({ cols: 100, rows: 30 })
    await waitFor('the new size', () => size?.cols === 100)
    await terminal.close()
    await world.runtime.destroy(handle)
  })

  it('is reported when it ends, with its exit code, its last screen and its recording', async () => {
    const launch = world.launchOf(['sh', '-c', 'echo working; read line; echo "goodbye $line"; exit 4'])
    const handle = await startOld(launch)
    const ended = Promise.withResolvers<string[]>()
    const watch = world.runtime.watch!(ended.resolve)
    watch.follow([handle])
    await world.runtime.sendMessage(handle, 'now')
    expect(await ended.promise).toEqual([handle.id])
    watch.close()
    expect(await untilDead(world.runtime, handle)).toMatchObject({ exitCode: 4, signal: null })
    expect(await world.runtime.getOutput(handle)).toContain('goodbye now')
    expect(readExit(launch.stateDir, launch.spawnId)).toMatchObject({ code: 4, spawnId: launch.spawnId })
    const recording = recordingDirectory(launch.stateDir)
    const recorded = readdirSync(recording).map((name) => readFileSync(join(recording, name), 'utf8'))
    expect(recorded.join('')).toContain('goodbye now')
    await world.runtime.destroy(handle)
    expect(readExit(launch.stateDir, launch.spawnId)).toBeNull()
  })
})

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`)
