// What agents can do with `ao` from inside their sessions: the built command, run as an agent would run it.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SessionJson } from '../../src/cli/print/session-json.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
beforeAll(async () => {
  buildAo()
  world = createAoWorld({
    config: 'defaults: { runtime: process, agent: demo }\nprojects:\n  app: { path: ., sessionPrefix: app }\n',
  })
  for (let n = 0; n < 2; n++) {
    expect((await world.ao(['spawn', '--prompt', 'demo: ask Which colour?'])).code).toBe(0)
  }
})
afterAll(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

function environmentOf(sessionId: string, type: 'agent' | 'orchestrator'): NodeJS.ProcessEnv {
  const base = join(world.temp.home, '.agent-orchestrator')
  const project = readdirSync(base).find((name) => name.endsWith('-app'))!
  return {
    AO_SESSION: sessionId,
    AO_CALLER_TYPE: type,
    AO_PROJECT_ID: 'app',
    AO_DATA_DIR: join(base, project, 'sessions'),
    AO_CONFIG_PATH: join(world.repo, 'agent-orchestrator.yaml'),
  }
}

const ids = async () => (await world.json<{ sessions: SessionJson[] }>(['session', 'ls'])).sessions.map(({ id }) => id)

const FOR_PEOPLE: string[][] = [
  ['session', 'kill', 'app-2'],
  ['session', 'kill', 'app-2', '--purge', '--force'],
  ['session', 'restore', 'app-2'],
  ['session', 'cleanup'],
  ['session', 'approve', 'app-2'],
  ['session', 'attach', 'app-2'],
  ['pr', 'merge', '1'],
  ['pr', 'merge', '1', '--force'],
  ['pr', 'review', '1', '--approve'],
  ['pr', 'close', '1'],
  ['config', 'trust', '--yes'],
  ['start'],
  ['stop', '--sessions'],
  ['dashboard', '--no-open'],
  ['doctor', '--fix'],
  ['init', '--force'],
]

it.each(FOR_PEOPLE.map((args) => [args.join(' '), args] as const))(
  'D21 ao %s is refused inside a session, whatever the role',
  async (_line, args) => {
    for (const [id, type] of [
      ['app-1', 'agent'],
      ['app-orchestrator', 'orchestrator'],
    ] as const) {
      const { code, stderr, stdout } = await world.ao(args, { env: environmentOf(id, type) })
      expect({ code, stderr, stdout }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^error: ao .+ is not for .+\nhint: Ask the person who supervises the session/),
        stdout: '',
      })
    }
    expect(await ids()).toEqual(['app-1', 'app-2'])
  },
)

it('D21 an agent is known by the processes above it, too', async () => {
  const script = `env -u AO_SESSION -u AO_CALLER_TYPE -u AO_DATA_DIR -u AO_PROJECT_ID "$0" "$1" session kill app-2 --json; true`
  const { stdout } = spawnSync('sh', ['-c', script, process.execPath, AO], {
    cwd: world.repo,
    env: { ...world.temp.env, ...environmentOf('app-1', 'agent') },
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'ROLE_REFUSED',
    details: { session: 'app-1', role: 'worker' },
  })
  expect(await ids()).toEqual(['app-1', 'app-2'])
})

it('D21 a worker sees its own session and no other one', async () => {
  const env = environmentOf('app-1', 'agent')
  expect(await world.ao(['session', 'show', 'app-1'], { env })).toMatchObject({ code: 0 })
  expect(await world.ao(['why', 'app-1'], { env })).toMatchObject({ code: 0 })
  expect(await world.ao(['events', 'app-1'], { env })).toMatchObject({ code: 0 })
  for (const args of [
    ['session', 'show', 'app-2'],
    ['events'],
    ['events', 'app-2'],
    ['send', 'app-2', 'hi'],
    ['spawn', '1'],
  ]) {
    expect(await world.ao(args, { env }), args.join(' ')).toMatchObject({ code: 1, stdout: '' })
  }
  expect(await world.ao(['pr', 'merge', '--help'], { env })).toMatchObject({ code: 0 })
})

it('D21 an orchestrator spawns, sends and looks', async () => {
  const env = environmentOf('app-orchestrator', 'orchestrator')
  expect(await world.ao(['status'], { env })).toMatchObject({ code: 0 })
  expect(await world.ao(['session', 'show', 'app-1'], { env })).toMatchObject({ code: 0 })
  expect(await world.ao(['send', 'app-1', 'blue', '--no-wait'], { env })).toMatchObject({ code: 0 })
  expect(await world.ao(['spawn', '--prompt', 'demo: ask Which size?'], { env })).toMatchObject({ code: 0 })
  expect(await ids()).toEqual(['app-1', 'app-2', 'app-3'])
})
