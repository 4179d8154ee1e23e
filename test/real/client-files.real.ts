// Real agents that write files through agh, under the default policy. Their model is scripted.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { aghPaths } from '../../src/agh/paths.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { type ModelServer, startModelServer } from './model/model-server.ts'
import { WRITTEN } from './model/script.ts'
import { CLIENT_FS_AGENTS } from './real-agents.ts'

let temp: TempHome
let model: ModelServer
let env: NodeJS.ProcessEnv
const paths = () => aghPaths(env, temp.home)
const workspace = () => join(temp.home, 'repo')

beforeEach(async () => {
  temp = createTempHome()
  env = temp.env
  model = await startModelServer()
  mkdirSync(workspace())
})

afterEach(async () => {
  await stopDaemon(paths())
  await model.close()
  expect(await temp.cleanup()).toEqual([])
})

describe.each(CLIENT_FS_AGENTS)('$name $version under approve-reads', (agent) => {
  async function start(...front: string[]): Promise<string> {
    const program = join(inject('agentsPrefix'), 'node_modules', '.bin', agent.name)
    env = { ...temp.env, ...agent.env(model.url, temp.home) }
    agent.prepare(model.url, temp.home, workspace())
    const directory = join(paths().agents, agent.name)
    mkdirSync(directory, { recursive: true })
    const command = JSON.stringify([...(agent.native ? [] : [process.execPath]), program, ...agent.args])
    writeFileSync(join(directory, 'AGENT.md'), `---\n${[`command: ${command}`, ...front].join('\n')}\n---\n`)
    writeFileSync(paths().config, '[http]\nport = 0\n')
    await startDaemon(paths(), env)
    const body = { agent_name: agent.name, workspace_path: workspace() }
    const made = await callDaemon<{ session: { id: string } }>(paths().socket, '/api/sessions', {
      method: 'POST',
      body,
    })
    return made.session.id
  }

  /** Every question gets this answer. */
  async function runTurn(id: string, message: string, decision: string): Promise<SessionEvent[]> {
    const events: SessionEvent[] = []
    const { socket } = paths()
    for await (const event of followDaemon(socket, `/api/sessions/${id}/prompt`, {
      method: 'POST',
      body: { message },
    })) {
      events.push(event)
      if (event.type !== 'permission' || event.content.decision !== null) continue
      const body = { request_id: event.content.request_id, decision }
      await callDaemon(socket, `/api/sessions/${id}/approve`, { method: 'POST', body })
    }
    return events
  }

  const decisionsIn = (events: readonly SessionEvent[]) =>
    events.flatMap(({ type, content }) =>
      type === 'permission' && content.decision !== null ? [content.decision] : [],
    )

  it('S4.3 writes a new file and an old one after a yes, and the history says so', async () => {
    const id = await start()
    const old = join(workspace(), 'old.txt')
    writeFileSync(old, 'before\n')
    // Some agents overwrite only what they have read.
    await runTurn(id, `TASK:READ ${old}`, 'allow-once')
    for (const target of [join(workspace(), 'new.txt'), old]) {
      const events = await runTurn(id, `TASK:WRITE ${target}`, 'allow-once')
      expect(events.at(-1)).toMatchObject({ type: 'done', content: { stop_reason: 'end_turn' } })
      expect(readFileSync(target, 'utf8')).toBe(WRITTEN)
      expect(new Set(decisionsIn(events))).toEqual(new Set(['allow-once']))
    }
  })

  it('S4.3 writes nothing after a no, and the history says so', async () => {
    const id = await start()
    const old = join(workspace(), 'old.txt')
    writeFileSync(old, 'before\n')
    await runTurn(id, `TASK:READ ${old}`, 'allow-once')
    const events = await runTurn(id, `TASK:WRITE ${old}`, 'reject-once')
    expect(readFileSync(old, 'utf8')).toBe('before\n')
    expect(decisionsIn(events)).toContain('reject-once')
    expect(decisionsIn(events)).not.toContain('allow-once')
  })

  it('writes the file itself when client_fs is off', async () => {
    const id = await start('client_fs: false')
    const target = join(workspace(), 'new.txt')
    await runTurn(id, `TASK:WRITE ${target}`, 'allow-once')
    expect(readFileSync(target, 'utf8')).toBe(WRITTEN)
  })
})
