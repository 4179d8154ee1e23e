// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// Which of the user's variables reach an agent, a postCreate command and CI: real processes, asked for their environment.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `defaults: { runtime: process, agent: generic, environment: { deny: [DENIED_BY_ALL] } }
notifiers: { chat: { plugin: webhook, url: 'http://127.0.0.1:9/\${CHAT_SECRET}' } }
webhooks: { github: { secret: '\${HOOK_SECRET}' } }
projects:
  app:
    path: .
    sessionPrefix: app
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: env, run: 'env > "$HOME/ci.env"' }] } }
    agentConfig: { command: [sh, -c, 'env > "$HOME/agent.env"; echo ready; sleep 60'], env: { GIVEN: 'by \${HOME}' } }
    postCreate: ['env > "$HOME/hook.env"']
    environment: { deny: [DENIED] }
  narrow:
    path: .
    sessionPrefix: nar
    agentConfig: { command: [sh, -c, 'env > "$HOME/narrow.env"; echo ready; sleep 60'] }
    environment: { allow: [MY_*] }
`
const PLANTED = {
  ...{
    CHAT_SECRET: 's1',
    HOOK_SECRET: 's2-long-enough-for-a-secret',
    LINEAR_API_KEY: 's3',
    DENIED: 's4',
    DENIED_BY_ALL: 's5',
  },
  ...{ CLAUDECODE: '1', CODEX_SANDBOX: 'x', GH_TOKEN: 'gh', MY_SETTING: 'mine', OTHER_SECRET: 'other' },
}

let world: AoWorld
beforeAll(async () => {
  buildAo()
  world = createAoWorld({ config: CONFIG })
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'base')
  expect(await world.ao(['config', 'trust', '--yes'], { env: PLANTED })).toMatchObject({ code: 0 })
  expect(await world.ao(['spawn', '--project', 'app', '--prompt', 'x'], { env: PLANTED })).toMatchObject({ code: 0 })
  expect(await world.ao(['spawn', '--project', 'narrow', '--prompt', 'x'], { env: PLANTED })).toMatchObject({ code: 0 })
})
afterAll(async () => {
  for (const id of ['app-1', 'nar-1']) await world.ao(['session', 'kill', id, '--purge', '--force'], { env: PLANTED })
  expect(await world.temp.cleanup()).toEqual([])
})

async function written(file: string): Promise<Record<string, string>> {
  const text = await waitFor(file, () => readFileSync(join(world.temp.home, file), 'utf8'))
  return Object.fromEntries(text.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
}

const planted = (env: Record<string, string>) => Object.keys(PLANTED).filter((name) => name in env)

it('D21 an agent gets what a terminal would give it, without what ao reserves, an outer agent left, or is denied', async () => {
  const env = await written('agent.env')
  expect(planted(env)).toEqual(['GH_TOKEN', 'MY_SETTING', 'OTHER_SECRET'])
  expect(env.GIVEN).toBe(`by ${world.temp.home}`)
})

it('D21 with a list it gets what is on it and what every program needs', async () => {
  const env = await written('narrow.env')
  expect(planted(env)).toEqual(['MY_SETTING'])
  expect(env.HOME).toBe(world.temp.home)
})

it('D21 commands of postCreate and CI get what every program needs', async () => {
  expect(planted(await written('hook.env'))).toEqual([])
  const worktree = join(world.temp.home, '.worktrees', 'app', 'app-1')
  git(worktree, world.temp.env, 'commit', '-q', '--allow-empty', '-m', 'work')
  const inside = { ...world.temp.env, ...agentVariables() }
  expect(await world.ao(['gh', 'pr', 'create', '--fill'], { env: inside, cwd: worktree })).toMatchObject({ code: 0 })
  expect(await world.ao(['pr', 'checks', '1', '--run', '-p', 'app'], { env: PLANTED })).toMatchObject({ code: 0 })
  expect(planted(await written('ci.env'))).toEqual([])
})

it('inside a session ao works without the secrets that it reserves', async () => {
  const env = { ...agentVariables(), AO_SESSION: 'app-orchestrator', AO_CALLER_TYPE: 'orchestrator' }
  expect(await world.ao(['status'], { env })).toMatchObject({ code: 0 })
  // Outside it reports what is missing, as always.
  expect((await world.ao(['status'])).stderr).toContain('CHAT_SECRET is not set')
})

function agentVariables(): NodeJS.ProcessEnv {
  const base = join(world.temp.home, '.agent-orchestrator')
  const project = readdirSync(base).find((name) => name.endsWith('-app'))!
  return {
    AO_SESSION: 'app-1',
    AO_CALLER_TYPE: 'agent',
    AO_PROJECT_ID: 'app',
    AO_DATA_DIR: join(base, project, 'sessions'),
  }
}
