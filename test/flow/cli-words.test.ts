// What commands say and refuse, through the built command: unknown issues and plugins, reports, lost sessions.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SessionJson } from '../../src/cli/print/session-json.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld

beforeAll(() => buildAo(), 60_000)
beforeEach(() => {
  world = createAoWorld()
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

async function spawn(): Promise<SessionJson> {
  const prompt = '```demo\nsay hello\n```'
  return (await world.json<{ session: SessionJson }>(['spawn', '--prompt', prompt])).session
}

describe('a command that names something', () => {
  it('starts no agent for a missing issue', async () => {
    const { code, stderr } = await world.ao(['spawn', '999'])
    expect(code).toBe(4)
    expect(stderr).toContain('has no issue 999')
    const { sessions } = await world.json<{ sessions: SessionJson[] }>(['session', 'ls', '--all'])
    expect(sessions).toEqual([])
  })

  it('knows which plugins there are before anything is started', async () => {
    const file = join(world.repo, 'agent-orchestrator.yaml')
    writeFileSync(file, `${readFileSync(file, 'utf8')}    runtime: vagrant\n`)
    const { code, stderr } = await world.ao(['config', 'validate'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/:5:\d+ projects\.app\.runtime: there is no runtime plugin vagrant; there are: tmux,/)
    writeFileSync(file, readFileSync(file, 'utf8').replace('    runtime: vagrant\n', ''))
    expect((await world.ao(['config', 'validate'])).code).toBe(0)
  })
})

describe('an issue that somebody works on', () => {
  it('is not started a second time by accident: no prompt without a terminal, and JSON names the session', async () => {
    const task = ['spawn', '4711', '--prompt', 'demo: ask Which colour?']
    const { session } = await world.json<{ session: SessionJson }>(task)
    const refused = await world.ao(task)
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain(`${session.id} works on 4711 already`)
    expect(refused.stderr).toContain(`ao session attach ${session.id}; start a second session with --again`)
    const { stdout } = await world.ao([...task, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'ISSUE_TAKEN', details: { session: session.id } } })
    const again = await world.json<{ session: SessionJson }>([...task, '--again'])
    expect(again.session.branch).toBe(`feat/4711-${again.session.id}`)
  })
})

describe('a session', () => {
  it('S1.93 can report on ao by a command, as its AGENTS.md says', async () => {
    const { workspacePath, id } = await spawn()
    expect(readFileSync(join(workspacePath!, '.ao', 'AGENTS.md'), 'utf8')).toContain('ao feedback new bug_report')
    const record = execFileSync('find', [world.temp.home, '-path', `*/sessions/${id}`], { encoding: 'utf8' }).trim()
    const env = { AO_SESSION: id, AO_DATA_DIR: join(record, '..') }
    const report = ['--title', 'It waits', '--body', 'for long', '--source', 'ao send', '--confidence', '0.9']
    expect(await world.ao(['feedback', 'new', 'bug_report', ...report], { env })).toMatchObject({ code: 0 })
    const { reports } = await world.json<{ reports: unknown[] }>(['feedback', 'ls'])
    expect(reports).toEqual([expect.objectContaining({ tool: 'bug_report', title: 'It waits', session: id })])
    const { code, stderr } = await world.ao(['feedback', 'new', 'bug_report', '--title', 'x'], { env })
    expect([code, stderr.includes('confidence')]).toEqual([2, true])
  })

  it('is restored with all others that nobody ended, and one that was ended is not', async () => {
    const [first, second, ended] = [await spawn(), await spawn(), await spawn()]
    await world.ao(['session', 'kill', ended!.id])
    const tmux = (...argv: string[]) =>
      execFileSync('tmux', ['-L', 'ao', ...argv], { env: world.temp.env, encoding: 'utf8' })
    for (const name of tmux('list-sessions', '-F', '#{session_name}').trim().split('\n'))
      tmux('kill-session', '-t', `=${name}`)
    await waitFor('both to be gone', async () => {
      const { sessions } = await world.json<{ sessions: SessionJson[] }>(['session', 'ls', '--all'])
      return sessions.filter(({ status }) => status === 'killed').length === 3
    })
    const { restored, failed } = await world.json<{ restored: SessionJson[]; failed: unknown[] }>([
      'session',
      'restore',
      '--all',
    ])
    expect([restored.map(({ id }) => id).sort(), failed]).toEqual([[first!.id, second!.id].sort(), []])
    expect((await world.ao(['session', 'restore', '--all'])).stdout).toContain('No session')
  })

  it('S0.72 that had ended is reported as ended', async () => {
    const { id } = await spawn()
    await world.ao(['session', 'kill', id])
    const again = await world.ao(['session', 'kill', id, '--force'])
    expect(again.stdout).toContain('had ended already and stays killed')
  })
})

describe('an alias', () => {
  it('stands for the words of the configuration, takes no command’s name, and needs consent from a repository', async () => {
    const aliases = '{ ids: { run: [session, ls, -q] }, status: { run: [session, ls] }, twice: { run: [ids] } }'
    const file = join(world.repo, 'agent-orchestrator.yaml')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, `aliases: ${aliases}\n${before}`)
    expect(await world.ao(['ids'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('ao ids') })
    writeFileSync(file, before)
    const own = { env: { AO_GLOBAL_CONFIG: join(world.temp.home, 'own.yaml') } }
    writeFileSync(own.env.AO_GLOBAL_CONFIG, `aliases: ${aliases}\n`)
    const listed = (await world.ao(['session', 'ls', '-q', '--all'])).stdout
    expect((await world.ao(['ids', '--all'], own)).stdout).toBe(listed)
    expect((await world.ao(['status'], own)).stdout).not.toMatch(/^SESSION +STATUS +ACTIVITY +BRANCH/)
    expect(await world.ao(['twice'], own)).toMatchObject({ code: 2, stderr: expect.stringContaining('ids') })
    expect(await world.ao(['ids', ';id', '$(id)'], own)).toMatchObject({ code: 2 })
    expect((await world.ao(['ids'], { env: { ...own.env, AO_SESSION: 'app-1' } })).code).not.toBe(0)
    for (const name of ['__proto__', 'constructor']) expect((await world.ao([name], own)).code).toBe(2)
  })
})

describe('ao-hello on PATH', () => {
  const put = (directory: string, name: string, mode = 0o755) => {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, name), '#!/bin/sh\nprintf "%s|" own "$@"\nexit 7\n', { mode })
  }
  const withPath = (directory: string) => ({ env: { PATH: `${directory}:${world.temp.env.PATH}` } })

  it('is ao hello, with its words as they are and its exit code, and never takes the name of a command', async () => {
    const bin = join(world.temp.home, 'bin')
    for (const name of ['ao-hello', 'ao-status']) put(bin, name)
    const run = (args: string[]) => world.ao(args, withPath(bin))
    expect(await run(['hello', '--json', 'two words', '$(id)'])).toMatchObject({
      code: 7,
      stdout: 'own|--json|two words|$(id)|',
    })
    expect((await run(['status'])).stdout).not.toContain('own')
    expect((await run(['helo'])).stderr).toContain('Unknown command: helo')
  })

  it('is not run from the repository one is in, from a worktree, by a relative entry, or for an agent', async () => {
    const { id, workspacePath } = await spawn()
    put(join(workspacePath!, 'bin'), 'ao-hello')
    put(join(world.repo, 'bin'), 'ao-hello')
    for (const where of [join(workspacePath!, 'bin'), join(world.repo, 'bin')])
      expect((await world.ao(['hello'], withPath(where))).stderr).toContain('is not run as ao hello')
    expect((await world.ao(['hello'], withPath('bin'))).stderr).toContain('Unknown command')
    const outside = join(world.temp.home, 'bin')
    put(outside, 'ao-hello')
    const { env } = withPath(outside)
    expect((await world.ao(['hello'], { env: { ...env, AO_SESSION: id } })).stderr).toContain('Unknown command')
    expect((await world.ao(['hello'], { env })).stdout).toBe('own|')
  })
})
