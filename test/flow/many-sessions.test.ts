// Many at once, and what surrounds a session: names, directories, what survives when tmux itself is gone.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { repeats } from '../support/cover.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { testProgram } from '../support/test-program.ts'

const SPAWNS = repeats(100, 40)

let ao: AoHome

afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

const AO = new URL('../../dist/ao.js', import.meta.url).pathname

describe('parallel spawns', () => {
  it(`S2.18 S0.1 S0.2 gives ${SPAWNS} parallel spawns from 10 processes ${SPAWNS} ids, branches and worktrees, none failed`, async () => {
    ao = await createAoHome()
    const driver = testProgram('spawn-many')
    const results = await Promise.all(Array.from({ length: 10 }, () => runDriver(driver, [String(SPAWNS / 10)])))
    const ids = results.flatMap((text) => JSON.parse(text) as string[])
    expect(new Set(ids).size).toBe(SPAWNS)
    expect(ao.worktrees()).toHaveLength(SPAWNS)
    expect(ao.branches()).toHaveLength(SPAWNS + 1)
    expect(ao.tmuxSessions().sort()).toEqual(ids.sort())
    const listed = git(ao.repo, ao.env, 'worktree', 'list', '--porcelain').match(/^worktree /gm)
    expect(listed).toHaveLength(SPAWNS + 1)
  }, 240_000)

  function runDriver(driver: string, args: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [driver, ...args], {
        cwd: ao.repo,
        env: ao.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let out = ''
      let err = ''
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString()
      })
      child.stderr.on('data', (chunk: Buffer) => {
        err += chunk.toString()
      })
      child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`exit ${code}: ${err}`))))
    })
  }
})

describe('around a session', () => {
  it('S0.82 S0.31 survives the end of the tmux server: killed is reported, restore works', async () => {
    ao = await createAoHome()
    const id = ao.spawn()
    writeFileSync(join(ao.worktree(id), 'work.txt'), 'unsaved\n')
    execFileSync('tmux', ['-L', 'ao', 'kill-server'], { env: ao.env })
    expect(ao.list()[0]).toMatchObject({ id, status: 'killed', activity: 'exited' })
    ao.ok(['session', 'restore', id])
    expect(ao.list()[0]).toMatchObject({ id, status: 'working' })
    expect(readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8')).toBe('unsaved\n')
  })

  it('S0.30 S0.60 sets killed when the user kills it, S0.88 and leaves it until somebody cleans up', async () => {
    ao = await createAoHome()
    const id = ao.spawn()
    ao.ok(['session', 'kill', id])
    expect(readFileSync(ao.sessionFile(id), 'utf8')).toMatch(/^status=killed$/m)
    ao.spawn()
    expect(existsSync(ao.worktree(id))).toBe(true)
  })

  it('S1.45 S1.24 S1.1 prints a session’s metadata with cat and ls alone', async () => {
    ao = await createAoHome()
    const id = ao.spawn()
    const line = `cat ~/.agent-orchestrator/$(ls ~/.agent-orchestrator | head -1)/sessions/${id}`
    expect(execFileSync('bash', ['-c', line], { env: ao.env, encoding: 'utf8' })).toMatch(/^status=working$/m)
  })

  it('S1.62 S1.63 S1.64 S1.65 makes .ao in the worktree, unseen by git, with what the agent should know', async () => {
    ao = await createAoHome()
    const id = ao.spawn()
    const text = readFileSync(join(ao.worktree(id), '.ao', 'AGENTS.md'), 'utf8')
    expect(text).toContain('Agent Orchestrator (ao) Session')
    expect(text).toContain('update_ao_metadata')
    expect(git(ao.worktree(id), ao.env, 'status', '--porcelain')).toBe('')
  })

  it('S0.10 S0.9 S1.13 S1.14 keeps two checkouts with the same project and prefix apart', async () => {
    ao = await createAoHome()
    const other = createRepo(join(ao.home, 'second', 'app'), ao.env)
    writeFileSync(
      join(other, 'agent-orchestrator.yaml'),
      readFileSync(join(ao.repo, 'agent-orchestrator.yaml'), 'utf8'),
    )
    const inOther = (...args: string[]): string =>
      execFileSync(process.execPath, [AO, ...args], { cwd: other, env: ao.env, encoding: 'utf8' })
    inOther('config', 'trust', '--yes')
    expect(ao.spawn()).toBe('app-1')
    const second = JSON.parse(inOther('spawn', '--prompt', 'x', '--json')) as { session: { id: string } }
    // The number whose worktree path the first checkout has is not used.
    expect(second.session.id).toBe('app-2')
    const names = execFileSync('tmux', ['-L', 'ao', 'list-sessions', '-F', '#{session_name}'], {
      env: ao.env,
      encoding: 'utf8',
    })
    const hashes = new Set(
      names
        .trim()
        .split('\n')
        .map((name) => name.split('-')[0]),
    )
    expect(hashes.size).toBe(2)
    expect(ao.list().map(({ id }) => id)).toEqual(['app-1'])
    ao.ok(['session', 'kill', 'app-1', '--purge'])
    expect((JSON.parse(inOther('session', 'ls', '--json')) as { sessions: unknown[] }).sessions).toHaveLength(1)
  })

  it('S2.42 S2.39 S2.41 an orchestrator can run ao for the same configuration', async () => {
    ao = await createAoHome({
      projectYaml:
        'agent: generic\nagentConfig: { command: [sh, -c, "ao session ls --all --json > orchestrated.json; exec cat"] }',
    })
    ao.ok(['orchestrator', '--detach', '--json'])
    const file = join(ao.repo, 'orchestrated.json')
    const deadline = Date.now() + 20_000
    while (Date.now() < deadline && !(existsSync(file) && readFileSync(file, 'utf8').endsWith('}\n'))) {
      execFileSync('sleep', ['0.05'])
    }
    const { sessions } = JSON.parse(readFileSync(file, 'utf8')) as { sessions: Array<{ id: string }> }
    expect(sessions.map(({ id }) => id)).toEqual(['app-orchestrator'])
  })
})
