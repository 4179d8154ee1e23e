// `ao doctor` about the parts beside the sessions: the loop, the dashboard's port, agh, and the commands of agents.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

interface Check {
  level: 'pass' | 'warn' | 'fail'
  name: string
  detail: string
  fix?: string
}

let world: AoWorld
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

async function check(name: string, env: NodeJS.ProcessEnv = {}): Promise<Check | undefined> {
  const { checks } = await world.json<{ checks: Check[] }>(['doctor'], { env })
  return checks.find((one) => one.name === name)
}

function configure(text: string): void {
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), text)
}

/** Listens until the work is done. */
async function withTakenPort<T>(work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work((server.address() as { port: number }).port)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

const CONFIG = 'projects:\n  app:\n    path: .\n    agent: demo\n'

describe('the loop', () => {
  it('is missing with a hint how to start it, and found when it is running, was killed, or keeps an old configuration', async () => {
    expect(await check('loop')).toMatchObject({ level: 'pass', detail: expect.stringContaining('ao start') })
    const { pid } = await world.json<{ pid: number }>(['start'])
    expect(await check('loop')).toMatchObject({
      level: 'pass',
      detail: expect.stringMatching(new RegExp(`^process ${pid} watches app, dashboard: http://localhost:\\d+, log: `)),
    })
    const silent = { PATH: `${join(process.execPath, '..')}:/nowhere` }
    expect(await check('notifications', silent)).toMatchObject({
      level: 'warn',
      detail: expect.stringContaining('no notifier works: desktop'),
    })
    // Right for this command, but the loop has no such variable.
    configure(`${CONFIG}notifiers: { team: { plugin: slack, webhookUrl: "\${SLACK_URL}" } }\n`)
    const env = { SLACK_URL: 'http://localhost:1/' }
    const kept = await waitFor('the loop to say what it keeps', async () => {
      const found = await check('loop', env)
      return found?.level === 'warn' ? found : null
    })
    expect(kept.detail).toMatch(/^process \d+ continues with the old configuration: [\s\S]*SLACK_URL/)
    configure(CONFIG)
    process.kill(pid, 'SIGKILL')
    await waitFor('its death to be seen', async () => (await check('loop'))?.fix === 'Start it with: ao start')
    expect(await check('loop')).toMatchObject({ level: 'warn', detail: `it is not running: process ${pid} was killed` })
  })

  it('that takes webhooks is missed while it is not running', async () => {
    configure(`${CONFIG}webhooks: { github: { secret: abcdefgh } }\n`)
    expect(await check('webhooks')).toMatchObject({ level: 'warn', fix: 'Start it with: ao start' })
  })

  it('that could not have its port is a problem, with what to do', async () => {
    await withTakenPort(async (port) => {
      expect(await check('loop', { AO_PORT: String(port) })).toMatchObject({
        level: 'fail',
        detail: `Port ${port} of 127.0.0.1 cannot be used: another program listens there`,
        fix: expect.stringContaining(`AO_PORT=${port + 1} ao start`),
      })
    })
  })
})

describe('agents over ACP', () => {
  const OVER_ACP = `defaults: { runtime: acp }
projects:
  app: { path: ., agent: demo }
  web: { path: ., agent: claude-code, sessionPrefix: web }
  own: { path: ., agent: generic, sessionPrefix: own, agentConfig: { command: [no-such-agent, --acp] } }
  aid: { path: ., agent: aider, sessionPrefix: aid }
`

  it('are looked for by the command that speaks ACP, not by that of the terminal', async () => {
    configure(OVER_ACP)
    const env = { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin` }
    const { checks } = await world.json<{ checks: Check[] }>(['doctor'], { env })
    const agents = checks.filter(({ name }) => name.startsWith('agent '))
    expect(agents).toMatchObject([
      { level: 'pass', name: 'agent demo over ACP' },
      {
        level: 'fail',
        name: 'agent claude-code over ACP',
        detail: 'claude-agent-acp is not on PATH',
        fix: 'npm install --global @agentclientprotocol/claude-agent-acp',
      },
      { level: 'fail', name: 'agent generic over ACP', fix: expect.stringContaining('agentConfig of projects.own') },
      { level: 'fail', name: 'agent aider', detail: expect.stringContaining('has no command that speaks ACP') },
    ])
  })

  it('need a daemon that can start: its configuration is right and its port is free', async () => {
    configure(OVER_ACP)
    const home = join(world.temp.home, '.agh')
    mkdirSync(home)
    const write = (text: string) => writeFileSync(join(home, 'config.toml'), text)
    write('[http]\nport = 0\n')
    expect(await check('runtime acp')).toMatchObject({
      level: 'pass',
      detail: expect.stringContaining('first session'),
    })
    write('port = 0\n')
    expect(await check('runtime acp')).toMatchObject({
      level: 'fail',
      detail: expect.stringContaining('Unrecognized key: "port"'),
    })
    await withTakenPort(async (port) => {
      write(`[http]\nport = ${port}\n`)
      expect(await check('runtime acp')).toMatchObject({
        level: 'pass',
        detail: expect.stringContaining(`Port ${port} is taken, so it will have its socket only`),
      })
    })
  })
})

it('a command that only the configuration knows is looked for too', async () => {
  configure('projects:\n  app: { path: ., agent: generic, agentConfig: { command: [no-such-agent] } }\n')
  expect(await check('agent generic')).toMatchObject({ level: 'pass' })
  const { checks } = await world.json<{ checks: Check[] }>(['doctor'])
  expect(checks).toContainEqual({
    level: 'fail',
    name: 'agent generic',
    detail: 'no-such-agent is not on PATH',
    fix: 'Install it, or correct agentConfig of projects.app',
  })
})

it('agents whose --version hangs are reported as hanging, and delay nothing', async () => {
  const programs = join(world.temp.home, 'programs')
  mkdirSync(programs)
  for (const name of ['claude', 'codex']) writeFileSync(join(programs, name), '#!/bin/sh\nsleep 60\n', { mode: 0o755 })
  configure('projects:\n  app: { path: ., agent: claude-code }\n  other: { path: ., agent: codex, sessionPrefix: o }\n')
  const started = performance.now()
  const { checks } = await world.json<{ checks: Check[] }>(['doctor'], {
    env: { PATH: `${programs}:${world.temp.env.PATH}` },
  })
  // Both at once, and neither is waited for afterwards.
  expect(performance.now() - started).toBeLessThan(9_000)
  for (const [agent, program] of [
    ['claude-code', 'claude'],
    ['codex', 'codex'],
  ] as const) {
    expect(checks.find(({ name }) => name === `agent ${agent}`)).toEqual({
      level: 'warn',
      name: `agent ${agent}`,
      detail: `not checked: ${program} --version did not answer in 4 s`,
      fix: `Find out why it hangs: ${program} --version`,
    })
  }
})
