// What `--dry-run` prints is what runs: for every agent that ships with ao, the command and the names of the variables of the
// plan are those that the runtime receives. Only the id of the new conversation is different, because it is chosen anew.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { AGENT_TABLE } from '../../src/contract/agents/agent-table.ts'
import { PERMISSION_MODES } from '../../src/contract/config/agent-keys.ts'
import { AGENT_LOADERS } from '../../src/plugins/builtin-agents.ts'
import { agreeToAll } from '../support/agree.ts'
import { git } from '../support/git-repo.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

const CONVERSATION_ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g
const AGENTS = Object.keys(AGENT_LOADERS).map((name) => name.replace('agent-', ''))
const FAKE_CODEX = join(import.meta.dirname, '..', 'fixtures', 'telemetry', 'codex', 'fake-codex.mjs')
const PROMPT = 'Fix it: --yolo "quoted" $HOME\nand the rest'

let world: FakeWorld

afterEach(() => world.cleanup())

interface Variant {
  agent: string
  permissions?: string
  workspace?: string
  env?: Record<string, string>
}

async function given({ agent, permissions = 'default', workspace = 'worktree', env = {} }: Variant): Promise<void> {
  const command = agent === 'generic' ? 'command: [sh, -c, "true", "{prompt}"], ' : ''
  world = await createFakeWorld({
    yaml: `defaults: { runtime: fake, agent: ${agent}, workspace: ${workspace} }`,
    projectYaml: `scm: local\nagentConfig: { ${command}permissions: ${permissions}, model: some-model, env: { OWN_TOKEN: canary } }`,
  })
  const bin = join(world.temp.home, 'programs')
  mkdirSync(bin)
  for (const { program } of AGENT_TABLE) {
    const body = program === 'codex' ? `exec '${process.execPath}' '${FAKE_CODEX}' "$@"` : ''
    writeFileSync(join(bin, program), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  }
  Object.assign(world.env, env, { PATH: `${bin}:${process.env.PATH}` })
  await agreeToAll(world.config, { home: world.temp.home, env: world.env })
}

/** The plan of the printed launch and what its runtime then received, with the id of the conversation left out. */
async function planAndLaunch(prompt = PROMPT) {
  const task = { projectId: 'my-app', prompt }
  const plan = await world.manager.planSpawn(task)
  expect(world.launches).toEqual([])
  await world.manager.spawn(task)
  const { command, environment } = world.launches[0]!
  const withoutId = (argv: readonly string[]) => argv.map((argument) => argument.replace(CONVERSATION_ID, '{id}'))
  const added = Object.keys(environment).filter((name) => environment[name] !== world.env[name])
  return { plan, planned: withoutId(plan.command ?? []), launched: withoutId(command), environment, added }
}

describe.each(AGENTS)('the dry run of %s', (agent) => {
  it('prints the command and the variables that the runtime receives, and no value of them', async () => {
    await given({ agent })
    const { plan, planned, launched, environment, added } = await planAndLaunch()
    expect(planned).toEqual(launched)
    for (const name of added) expect(plan.environment).toContain(name)
    for (const name of plan.environment) expect(environment).toHaveProperty(name)
    expect(environment).toMatchObject({ OWN_TOKEN: 'canary' })
    expect(JSON.stringify(plan)).not.toContain('canary')
  })

  it('prints the command of a task that is too long for an argument', async () => {
    await given({ agent })
    const { planned, launched } = await planAndLaunch('a long task. '.repeat(20_000))
    expect(planned).toEqual(launched)
  })
})

describe('the dry run of Codex', () => {
  it.each(PERMISSION_MODES)('prints its sandbox with permissions %s', async (permissions) => {
    await given({ agent: 'codex', permissions })
    const { planned, launched } = await planAndLaunch()
    expect(planned).toEqual(launched)
    const isOpen = permissions === 'default' || permissions === 'auto-edit'
    expect(launched.some((argument) => argument.includes('/objects'))).toBe(isOpen)
  })

  it.each([
    ['worktree', { FAKE_CODEX_SANDBOX: 'workspace-write' }],
    ['worktree', { FAKE_CODEX_SANDBOX: ':workspace' }],
    ['clone', { FAKE_CODEX_SANDBOX: 'workspace-write' }],
    ['clone', { FAKE_CODEX_SANDBOX: ':workspace' }],
    ['worktree', { FAKE_CODEX: 'foreign' }],
    ['worktree', { FAKE_CODEX: 'old' }],
  ])('prints its sandbox and its hooks in a %s with %j', async (workspace, env) => {
    await given({ agent: 'codex', permissions: 'auto-edit', workspace, env })
    const { planned, launched } = await planAndLaunch()
    expect(planned).toEqual(launched)
  })

  it('asks Codex nothing in a directory whose files the user has not consented to', async () => {
    await given({ agent: 'codex' })
    mkdirSync(join(world.repo, '.codex'))
    writeFileSync(join(world.repo, '.codex', 'config.toml'), 'sandbox_mode = "danger-full-access"\n')
    git(world.repo, world.env, 'add', '.codex')
    await expect(world.manager.planSpawn({ projectId: 'my-app', prompt: PROMPT })).rejects.toMatchObject({
      code: 'CONFIG_UNTRUSTED',
    })
  })
})
