// `ao doctor` in front of a machine where things went wrong, and `ao config trust`.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

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

async function doctor(...flags: string[]): Promise<{ code: number | null; ok: boolean; checks: Check[] }> {
  return world.json(['doctor', ...flags])
}

async function problems(...flags: string[]): Promise<Check[]> {
  return (await doctor(...flags)).checks.filter(({ level }) => level !== 'pass')
}

describe('ao doctor', () => {
  it('is content with a machine that has what the configuration needs', async () => {
    const { code, stdout } = await world.ao(['doctor'])
    expect(stdout).toMatch(/^PASS git: 2\./m)
    expect(stdout).toMatch(/^PASS agent demo: /m)
    expect(stdout).toMatch(/\n0 problems, 0 warnings, \d+ passed\.\n$/)
    expect(code).toBe(0)
  })

  it('says how to begin where there is no configuration', async () => {
    const { code, stdout } = await world.ao(['doctor'], { cwd: world.temp.home })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^(?:PASS|WARN) agents: /m)
    expect(stdout).toMatch(/^PASS tmux: /m)
    expect(stdout).toMatch(/^WARN configuration: There is no agent-orchestrator\.yaml/m)
    expect(stdout).toContain('-> Create one with: ao init')
  })

  it('fails when the chosen agent is not installed or the directory is not a repository', async () => {
    writeFileSync(
      join(world.repo, 'agent-orchestrator.yaml'),
      'projects:\n  app:\n    path: .\n    agent: aider\n  lost:\n    path: ../nowhere\n    agent: demo\n',
    )
    const { code, ok, checks } = await doctor()
    expect({ code, ok }).toEqual({ code: 1, ok: false })
    const failed = checks.filter(({ level }) => level === 'fail')
    expect(failed.map(({ name }) => name).sort()).toEqual(['agent aider', 'project lost'])
    expect(failed.every(({ fix }) => fix !== undefined)).toBe(true)
  })

  it('sees an interrupted spawn and rolls it back with --fix', async () => {
    const crashed = await world.ao(['spawn', 'seven things'], { env: { AO_FAILPOINT: 'spawn.workspace-created' } })
    expect(crashed.signal).toBe('SIGKILL')
    expect(await problems()).toMatchObject([
      {
        level: 'warn',
        name: 'session app-1',
        detail: 'its spawn was interrupted',
        fix: expect.stringContaining('--fix'),
      },
      {
        level: 'warn',
        name: 'left behind',
        detail: expect.stringMatching(/app-1\.operation: lock of a killed process$/),
      },
    ])
    const fixed = await doctor('--fix')
    expect(fixed.checks).toContainEqual({
      level: 'pass',
      name: 'session app-1',
      detail: 'an interrupted command was rolled back',
    })
    expect(await problems()).toEqual([])
    expect((await world.json<{ sessions: unknown[] }>(['session', 'ls'])).sessions).toEqual([])
  })

  it('reports a worktree that no session owns, and leaves it alone', async () => {
    const path = join(world.temp.home, '.worktrees', 'app', 'app-9')
    git(world.repo, world.temp.env, 'worktree', 'add', '--quiet', '-b', 'old', path)
    expect(await problems('--fix')).toMatchObject([
      { level: 'warn', name: 'worktree of app', detail: `${path} on old belongs to no session` },
    ])
    expect(readdirSync(path)).toContain('README.md')
  })

  it('reports a damaged record', async () => {
    await world.ao(['spawn', '7', '--prompt', 'demo: say hi'])
    await world.ao(['session', 'kill', 'app-1'])
    const base = join(world.temp.home, '.agent-orchestrator')
    const project = readdirSync(base).find((name) => name.endsWith('-app'))!
    writeFileSync(join(base, project, 'sessions', 'app-1'), 'project=app\nstatus=killed\n\u0000\u0001 no key here\n')
    const found = await problems()
    expect(found).toMatchObject([{ level: 'fail', name: 'session app-1', detail: expect.stringContaining('damaged') }])
    expect((await doctor()).code).toBe(1)
  })
})

describe('ao config trust', () => {
  const POST_CREATE = 'projects:\n  app:\n    path: .\n    agent: demo\n    postCreate: ["touch made"]\n'

  it('lets a repository run its commands only after the user consented to them, and asks again when they change', async () => {
    const file = join(world.repo, 'agent-orchestrator.yaml')
    writeFileSync(file, POST_CREATE)
    const refused = await world.ao(['spawn', '--prompt', 'demo: say hi'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('"touch made"')
    expect(refused.stderr).toContain('hint: Read it, then trust it with: ao config trust')
    expect(await problems()).toMatchObject([{ level: 'warn', name: 'trust' }])

    const request = await world.ao(['config', 'trust'])
    expect(request).toMatchObject({ code: 2, stderr: expect.stringContaining('ao config trust --yes') })
    expect(await world.ao(['config', 'trust', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('touch made'),
    })
    expect(await world.ao(['spawn', '--prompt', 'demo: say hi'])).toMatchObject({ code: 0 })
    await world.ao(['session', 'kill', 'app-1', '--purge'])

    writeFileSync(file, POST_CREATE.replace('touch made', 'touch other'))
    expect(await world.ao(['spawn', '--prompt', 'demo: say hi'])).toMatchObject({ code: 2 })
    writeFileSync(file, POST_CREATE)
    expect(await world.json(['config', 'trust', '--revoke'])).toMatchObject({ revoked: 1 })
    expect(await world.ao(['spawn', '--prompt', 'demo: say hi'])).toMatchObject({ code: 2 })
  })
})
