// Real agents on a machine reached with ssh: a restored session continues the agent's own conversation, although nothing of the
// agent's own files is left there.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { stringify } from 'yaml'
import { startMachine, whyNoSsh } from '../places/ssh-machine.ts'
import { buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startModelServer } from './model/model-server.ts'
import { TERMINAL_AGENTS } from './terminal-agents.ts'

const endings: Array<() => Promise<unknown>> = []
beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** Where each keeps its conversations, below its own directory. */
const KEPT: Readonly<Record<string, string>> = { 'claude-code': 'claude/projects', codex: 'codex/sessions' }
const no = whyNoSsh()

describe.skipIf(no !== null)(`in a place${no ? ` (${no})` : ''}`, () => {
  it.each(TERMINAL_AGENTS.filter(({ ao }) => ao in KEPT))('$name continues its conversation', async (agent) => {
    const bin = join(inject('agentsPrefix'), 'node_modules', '.bin')
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    const model = await startModelServer()
    endings.push(() => model.close())
    const ao = createAoWorld({ config: '' })
    endings.push(() => ao.temp.cleanup())
    // /tmp is the same there.
    const there = join(ao.temp.home, 'there')
    agent.prepare(model.url, there, [])
    const env = agent.env(model.url, there)
    for (const name of ['claude', 'codex']) machine.run(`ln -sf '${join(bin, name)}' /usr/local/bin/${name}`)
    const config = {
      port: 0,
      defaults: { agent: agent.ao, runtime: 'process' },
      places: { box: { type: 'ssh', host: 'box', configFile: machine.configFile } },
      projects: {
        app: {
          path: '.',
          place: 'box',
          tracker: 'local',
          scm: 'local',
          agentConfig: { permissions: agent.permissions ?? 'skip', env, ...agent.config(bin) },
        },
      },
    }
    writeFileSync(join(ao.repo, 'agent-orchestrator.yaml'), stringify(config))
    await ao.ao(['config', 'trust', '--yes'])
    const spawned = await ao.ao(['spawn', '--prompt', 'the password is tulip-42. TASK:HELLO'], { timeoutMs: 120_000 })
    expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
    const ready = async () => {
      const { sessions } = await ao.json<{ sessions: Array<{ activity: string }> }>(['status'])
      return sessions[0]!.activity === 'ready'
    }
    const untilReady = () => waitFor('the end of the turn', ready, 60_000)
    await waitFor('the question', () => model.heard('tulip-42') > 0, 90_000)
    await untilReady()
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    machine.run(`rm -rf '${join(there, KEPT[agent.ao]!)}'`)

    const restored = await ao.ao(['session', 'restore', 'app-1'], { timeoutMs: 120_000 })
    expect(restored.code, restored.stderr).toBe(0)
    await untilReady()
    const before = model.heard('tulip-42')
    const sent = await ao.ao(['send', 'app-1', 'TASK:RECALL'], { timeoutMs: 120_000 })
    expect(sent.stdout, `${sent.stderr}\n${(await ao.ao(['session', 'show', 'app-1'])).stdout}`).toContain(
      'seen by app-1',
    )
    await waitFor('the answer', () => model.steps.some(({ verb }) => verb === 'RECALL'), 90_000)
    expect(model.heard('tulip-42')).toBeGreaterThan(before)
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  })
})
