// One session from its birth to its archive, through the built command, with a real repository and real tmux.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionJson } from '../../src/cli/print/session-json.ts'
import { identify, type ProcessIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
beforeAll(() => {
  buildAo()
  world = createAoWorld({ config: '' })
})
afterAll(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

async function sessions(...flags: string[]): Promise<SessionJson[]> {
  return (await world.json<{ sessions: SessionJson[] }>(['session', 'ls', ...flags])).sessions
}

async function sessionIn(id: string, condition: (session: SessionJson) => boolean): Promise<SessionJson> {
  return waitFor(`${id} in the wanted state`, async () =>
    (await sessions('--all')).find((one) => one.id === id && condition(one)),
  )
}

/** As `redis-server --daemonize yes` would: no terminal, no parent, nothing that identifies its owner. */
function startByHand(directory: string): ProcessIdentity {
  const script = 'cd "$0" && env -i setsid -f sh -c \'echo $$; exec sleep 63 >/dev/null 2>&1\''
  const { stdout } = spawnSync('sh', ['-c', script, directory], { encoding: 'utf8' })
  return identify(Number(stdout))!
}

/** A command says what it is doing once it has taken a second, which every one may take on a loaded machine. */
function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^.* \.\.\.\n/gm, '')
}

describe('a session on the command line', () => {
  it('begins with ao init, which inspects the repository', async () => {
    const { code, stdout } = await world.ao(['init', '--agent', 'demo'])
    expect(code).toBe(0)
    expect(stdout).toContain(`wrote ${join(world.repo, 'agent-orchestrator.yaml')}`)
    expect(await world.ao(['config', 'validate'])).toMatchObject({ code: 0 })
    expect(await world.ao(['init'])).toMatchObject({ code: 2 })
    git(world.repo, world.temp.env, 'add', '--all')
    git(world.repo, world.temp.env, 'commit', '--quiet', '--message', 'configuration')
  })

  it('S0.54 spawn creates a session for an issue and ends with a line for scripts', async () => {
    const { code, stdout, stderr } = await world.runAlone([
      'spawn',
      '42',
      '--prompt',
      'demo: say hello\ndemo: ask Which colour?',
    ])
    expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('SESSION=app-1')
    expect(git(world.repo, world.temp.env, 'branch', '--list', 'feat/42')).toContain('feat/42')
  })

  it('S0.55 S0.56 S0.57 S0.86 ls shows id, status, activity, branch, issue and summary; what waits for someone stands out', async () => {
    await sessionIn('app-1', ({ activity }) => activity === 'waiting_input')
    const { stdout } = await world.ao(['session', 'ls'])
    expect(stdout).toMatch(/^SESSION +STATUS +ACTIVITY +BRANCH +ISSUE +SUMMARY\n/)
    expect(stdout).toMatch(/^app-1 +! needs_input +waiting_input +feat\/42 +42 +\S/m)
    const file = sessionFile('app-1')
    writeFileSync(file, `${readFileSync(file, 'utf8')}pr=https://github.com/acme/app/pull/7\n`)
    expect((await world.ao(['session', 'ls'])).stdout).toContain('https://github.com/acme/app/pull/7')
    expect((await sessions())[0]?.pr).toEqual({ url: 'https://github.com/acme/app/pull/7', number: 7 })
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^pr=.*\n/m, ''))
  })

  it('status puts it under what needs someone', async () => {
    expect((await world.ao(['status'])).stdout).toMatch(/Needs you \(1\)\n {2}app-1 +! needs_input/)
  })

  it('S0.59 send brings it back into action and says that the agent saw the message', async () => {
    const { code, stdout, stderr } = await world.runAlone(['send', 'app-1', 'blue', '--timeout', '40'])
    expect([code, stdout, withoutProgress(stderr)]).toEqual([0, 'seen by app-1\n', ''])
    await sessionIn('app-1', ({ status, activity }) => status === 'working' && activity === 'ready')
  })

  it('send takes 100 KB from stdin or a file, byte for byte', async () => {
    const text = `- a list\n\t"quotes" $HOME \`x\` é 日本\n${'0123456789abcdef'.repeat(6400)}\nend`
    const receipt = { receipt: { sessionId: 'app-1', level: 'seen' } }
    expect(await world.json(['send', 'app-1'], { input: text })).toMatchObject(receipt)
    const file = join(world.temp.home, 'message.txt')
    writeFileSync(file, text)
    expect(await world.json(['send', 'app-1', '--file', file])).toMatchObject(receipt)
    const { session } = await world.json<{ session: { history: Array<{ type: string; text?: string }> } }>([
      'session',
      'show',
      'app-1',
      '-n',
      'all',
    ])
    expect(session.history.filter(({ type }) => type === 'message.queued').map((event) => event.text)).toEqual([
      'blue',
      text,
      text,
    ])
  })

  it('takes the name that a person gave it for its id, in every command', async () => {
    expect(await world.ao(['session', 'rename', 'app-1', 'Say hello'])).toMatchObject({ code: 0 })
    const shown = async (name: string) => world.ao(['session', 'show', name])
    expect((await shown('Say hello')).stdout).toMatch(/^app-1 /)
    expect((await world.ao(['session', 'rename', 'Say hello', 'hello'])).stdout).toBe('app-1 is called: hello\n')
    expect((await shown('hello')).stdout).toMatch(/^app-1 /)
    // Neither a former name, nor part of one, nor the summary that the agent chose.
    for (const name of ['Say hello', 'hell', 'demo: say hello']) expect((await shown(name)).code).toBe(4)
    expect(await world.ao(['session', 'rename', 'hello', '--reset'])).toMatchObject({ code: 0 })
    expect((await shown('hello')).code).toBe(4)
  })

  it('is pinned and searched for under a name, the same for several commands at once', async () => {
    const pins = [
      ['session', 'pin', 'app-1', '--folder', 'release'],
      ['search', '--save', 'colours', 'blue', 'agent:demo'],
    ]
    const codes = await Promise.all(pins.map(async (args) => (await world.ao(args)).code))
    expect(codes).toEqual([0, 0])
    expect((await world.ao(['session', 'ls', '--folder', 'release'])).stdout).toMatch(/^app-1 +release /m)
    expect(await sessions()).toMatchObject([{ id: 'app-1', pinned: true, folder: 'release' }])
    expect(await sessions('--folder', 'other')).toEqual([])
    const { hits } = await world.json<{ hits: Array<{ sessionId: string }> }>(['search', '@colours', 'after:1d'])
    expect(hits[0]).toMatchObject({ sessionId: 'app-1', kind: 'message' })
    expect((await world.ao(['search', '--saved'])).stdout).toBe('@colours  blue agent:demo\n')
    const unknown = await world.ao(['search', '@blue'])
    expect(unknown).toMatchObject({ code: 0, stderr: expect.stringContaining('No search is saved as blue') })
    expect((await world.ao(['session', 'pin', 'app-99'])).code).toBe(4)
    const [file] = readdirSync(join(world.temp.home, '.agent-orchestrator')).filter((name) =>
      name.endsWith('.saved.json'),
    )
    const path = join(world.temp.home, '.agent-orchestrator', file!)
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, '{"pins": 7}')
    expect(await world.ao(['session', 'ls'])).toMatchObject({ code: 0, stderr: expect.stringContaining(path) })
    expect(await world.ao(['session', 'unpin', 'app-1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(path),
    })
    expect(readFileSync(path, 'utf8')).toBe('{"pins": 7}')
    writeFileSync(path, before)
    expect(await world.ao(['session', 'unpin', 'app-1'])).toMatchObject({ code: 0 })
    expect(await world.ao(['search', '--forget', 'colours'])).toMatchObject({ code: 0 })
    expect((await sessions())[0]).not.toHaveProperty('pinned')
  })

  it('S0.60 S0.61 kill ends the agent and keeps the workspace', async () => {
    const before = (await sessions())[0]!
    expect(await world.ao(['session', 'kill', 'app-1', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('would end app-1'),
    })
    expect((await sessions())[0]?.status).toBe(before.status)
    const server = startByHand(before.workspacePath!)
    const killed = await world.runAlone(['session', 'kill', 'app-1'])
    expect(killed).toMatchObject({ code: 0, stdout: expect.stringContaining('killed app-1') })
    // A server that a person started there keeps running, and is reported.
    expect(processState(server)).toBe('alive')
    expect(killed.stderr).toContain(`left running in the workspace of app-1: sleep 63 (${server.pid})`)
    expect((await world.ao(['events', 'app-1'])).stdout).toContain(
      `not proven to be the agent's: sleep 63 (${server.pid})`,
    )
    process.kill(server.pid, 'SIGKILL')
    expect(await sessions()).toMatchObject([{ id: 'app-1', status: 'killed', activity: 'exited' }])
    expect(readFileSync(join(before.workspacePath!, 'README.md'), 'utf8')).toBe('# sample\n')
    expect(await world.ao(['send', 'app-1', 'hi'])).toMatchObject({ code: 5 })
    expect(await world.ao(['session', 'attach', 'app-1'])).toMatchObject({ code: 2 })
  })

  it('S0.88 a killed session stays', async () => {
    await world.ao(['status'])
    expect(await sessions()).toMatchObject([{ id: 'app-1', status: 'killed' }])
  })

  it('S0.63 S0.89 restore brings it back and says each step with --verbose', async () => {
    const { code, stdout, stderr } = await world.runAlone(['session', 'restore', 'app-1', '--verbose'])
    expect(code).toBe(0)
    expect(stdout).toContain('restored app-1 on branch feat/42')
    expect(stderr.trimEnd().split('\n').length).toBeGreaterThanOrEqual(4)
    expect(stderr).toContain('workspace')
    await sessionIn('app-1', ({ status }) => status === 'working')
  })

  it('S0.89 a restore that is refused says why', async () => {
    const { code, stderr } = await world.ao(['session', 'restore', 'app-1', '--verbose'])
    expect(code).toBe(5)
    expect(stderr).toMatch(/error: Session app-1 cannot be restored: .+\nhint: /)
  })

  it('a force-stopped session is terminated', async () => {
    expect(await world.json(['session', 'kill', 'app-1', '--force'])).toMatchObject({ code: 0, status: 'terminated' })
    expect(await sessions()).toMatchObject([{ id: 'app-1', status: 'terminated' }])
  })

  it('S0.64 S0.66 S0.87 cleanup says why, removes what is finished, and can be run again', async () => {
    const { workspacePath } = (await sessions())[0]!
    const plan = await world.ao(['session', 'cleanup', '--dry-run'])
    expect(plan.stdout).toMatch(/^app-1 +would remove +its status is terminated$/m)
    expect(await sessions()).toHaveLength(1)
    expect(await world.json(['session', 'cleanup'])).toMatchObject({
      code: 0,
      removed: ['app-1'],
      kept: [],
      errors: [],
    })
    expect(await sessions()).toEqual([])
    expect(() => readdirSync(workspacePath!)).toThrow()
    expect(await world.json(['session', 'cleanup'])).toMatchObject({ code: 0, removed: [], kept: [], errors: [] })
  })

  it('S1.52 an archived session is listed nowhere, but can be shown', async () => {
    expect(await sessions('--all')).toEqual([])
    expect((await world.ao(['status'])).stdout).not.toContain('app-1')
    const { session } = await world.json<{ session: SessionJson & { archivedAt: string } }>([
      'session',
      'show',
      'app-1',
    ])
    expect(session).toMatchObject({ id: 'app-1', status: 'terminated', branch: 'feat/42' })
    expect(session.archivedAt).toMatch(/^\d{4}-/)
  })

  it('S0.63 an archived session can be restored, and S0.62 purged again', async () => {
    expect(await world.ao(['session', 'restore', 'app-1'])).toMatchObject({ code: 0 })
    expect(await sessions()).toMatchObject([{ id: 'app-1' }])
    expect(await world.json(['session', 'kill', 'app-1', '--purge'])).toMatchObject({ code: 0, purged: true })
    expect(await sessions()).toEqual([])
  })

  it('S1.51 orchestrators are listed with --all only', async () => {
    expect(await world.ao(['orchestrator'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/SESSION=app-orchestrator\n$/),
    })
    expect(await sessions()).toEqual([])
    expect(await sessions('--all')).toMatchObject([{ id: 'app-orchestrator', role: 'orchestrator' }])
    expect(await world.ao(['orchestrator', '--detach'])).toMatchObject({ code: 0 })
    expect(await sessions('--all')).toHaveLength(1)
    const stateDir = join(sessionFile('x'), '..', '..', 'state', 'app-orchestrator')
    expect(readFileSync(join(stateDir, 'system-prompt.md'), 'utf8')).toContain('# Orchestrator of')
    expect(await world.ao(['session', 'kill', 'app-orchestrator'])).toMatchObject({ code: 0 })
  })

  it('S0.9 nothing of all this showed the name with the hash', async () => {
    await world.ao(['spawn', '--prompt', 'demo: say hi'])
    const outputs = await Promise.all(
      [['session', 'ls', '-a'], ['status'], ['session', 'show', 'app-2'], ['session', 'show', 'app-2', '--json']].map(
        (args) => world.ao(args),
      ),
    )
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toMatch(/[0-9a-f]{12}-app-(\d|orch)/)
    expect(await world.ao(['session', 'kill', 'app-2', '--purge'])).toMatchObject({ code: 0 })
  })

  it('S1.61 what the commands did can be read with ls, cat and jq', async () => {
    const base = join(world.temp.home, '.agent-orchestrator')
    const directory = readdirSync(base).find((name) => name.endsWith('-observability'))!
    const files = readdirSync(join(base, directory, 'processes')).filter((name) => /^cli-\d+\.json$/.test(name))
    const metrics = files.map(
      (name) => JSON.parse(readFileSync(join(base, directory, 'processes', name), 'utf8')).metrics,
    )
    const counted = metrics.flatMap((one) => Object.keys(one))
    expect(counted).toEqual(expect.arrayContaining(['app::spawn']))
    expect(counted.some((name) => name.endsWith('::kill'))).toBe(true)
  })

  function sessionFile(id: string): string {
    const base = join(world.temp.home, '.agent-orchestrator')
    const project = readdirSync(base).find((name) => name.endsWith('-app'))!
    return join(base, project, 'sessions', id)
  }
})
