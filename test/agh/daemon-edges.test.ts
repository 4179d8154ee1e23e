// The daemon where its surroundings are not as it wants them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { aghPaths } from '../../src/agh/paths.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { AGENT, type AghHome, createAghHome } from './agh-home.ts'

let agh: AghHome
const open = (config: string) => {
  agh = createAghHome({ files: { 'config.toml': config } })
  return agh.context.paths
}
afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

describe('a daemon', () => {
  it('with an invalid configuration is not started, and that is reported immediately and once', async () => {
    const paths = open('[http]\nport = "many"\n')
    const began = performance.now()
    const error = await startDaemon(paths, agh.context.env).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exitCode: 2, message: expect.stringContaining('http.port') })
    expect(performance.now() - began).toBeLessThan(1_500)
    expect(await daemonStatus(paths)).toBeNull()
  })

  it('whose port is taken has its socket only, and says so', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    try {
      const paths = open(`[http]\nport = ${port}\n`)
      const status = await startDaemon(paths, agh.context.env)
      expect(status).toMatchObject({ http: null, http_problem: expect.stringContaining(`port ${port} is taken`) })
      expect(await callDaemon(paths.socket, '/api/sessions')).toEqual({ sessions: [], damaged: [] })
    } finally {
      other.close()
    }
  })

  it('works in a home whose path is longer than the name of a socket may be', async () => {
    open('')
    const home = join(agh.home, 'a'.repeat(60), 'b'.repeat(60))
    mkdirSync(join(home, 'agents', 'general'), { recursive: true })
    const command = JSON.stringify([process.execPath, AGENT])
    writeFileSync(join(home, 'agents', 'general', 'AGENT.md'), `---\ncommand: ${command}\n---\n`)
    writeFileSync(join(home, 'config.toml'), '[http]\nport = 0\n')
    const paths = aghPaths({ ...agh.context.env, AGH_HOME: home }, agh.home)
    expect(paths.socket.length).toBeGreaterThan(108)
    await startDaemon(paths, { ...agh.context.env, AGH_HOME: home })
    const body = { workspace_path: agh.workspace }
    const { session } = await callDaemon<{ session: SessionView }>(paths.socket, '/api/sessions', {
      method: 'POST',
      body,
    })
    const prompt = { method: 'POST', body: { message: 'say hello' } }
    const types: string[] = []
    for await (const { type } of followDaemon(paths.socket, `/api/sessions/${session.id}/prompt`, prompt))
      types.push(type)
    expect(types.at(-1)).toBe('done')
    expect(await stopDaemon(paths)).toBe(true)
  })

  it('that several commands start at once is one, and once it is stopped none of the others replaces it', async () => {
    const paths = open('[http]\nport = 0\n')
    const started = await Promise.all(Array.from({ length: 4 }, () => startDaemon(paths, agh.context.env)))
    expect(new Set(started.map(({ pid }) => pid)).size).toBe(1)
    expect(await stopDaemon(paths)).toBe(true)
    // What is left of the others would be found when the home is cleaned up.
    expect(await daemonStatus(paths)).toBeNull()
  })

  it.each([
    ['lost', (file: string) => rmSync(file)],
    ['damaged', (file: string) => writeFileSync(file, '{')],
    ['of a daemon that has ended', (file: string) => writeFileSync(file, '{"identity":"1:1:0"}')],
  ])('whose file is %s is stopped all the same', async (_what, spoil) => {
    const paths = open('[http]\nport = 0\n')
    await startDaemon(paths, agh.context.env)
    spoil(paths.daemonFile)
    expect(await stopDaemon(paths)).toBe(true)
    expect(await daemonStatus(paths)).toBeNull()
    expect(await stopDaemon(paths)).toBe(false)
  })

  it('S4.77 that is stopped in order sends every reader the ends of turn and session before it closes', async () => {
    const paths = open('[http]\nport = 0\n')
    await startDaemon(paths, agh.context.env)
    const body = { workspace_path: agh.workspace }
    const { session } = await callDaemon<{ session: SessionView }>(paths.socket, '/api/sessions', {
      method: 'POST',
      body,
    })
    const read = async (events: AsyncGenerator<SessionEvent>) => {
      const seen: SessionEvent[] = []
      for await (const event of events) seen.push(event)
      return seen
    }
    const path = `/api/sessions/${session.id}`
    const readers = Array.from({ length: 5 }, () => read(followDaemon(paths.socket, `${path}/stream`)))
    const prompt = { method: 'POST', body: { message: 'say one\nsleep 60000' } }
    const turn = read(followDaemon(paths.socket, `${path}/prompt`, prompt))
    await waitFor('the turn', async () => {
      const { events } = await callDaemon<{ events: SessionEvent[] }>(paths.socket, `${path}/events`)
      return events.some(({ type }) => type === 'agent_message')
    })
    expect(await stopDaemon(paths)).toBe(true)
    for (const seen of await Promise.all(readers)) expect(seen.at(-1)?.type).toBe('session_stopped')
    expect(['done', 'error']).toContain((await turn).at(-1)?.type)
  })
})
