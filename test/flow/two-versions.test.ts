// The commands of the version before and of this one on the same home: an upgrade and a downgrade in the middle of work. Either it works,
// or it is refused in words; nothing is damaged or lost.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { identify, processState } from '../../src/lib/process/process-identity.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { runBeside } from '../support/ao-beside.ts'
import { runsHere } from '../support/ao-here.ts'
import { cover, THOROUGH } from '../support/cover.ts'
import { git } from '../support/git-repo.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const ROOT = join(import.meta.dirname, '../..')
const VERSIONS = ['before', 'now'] as const
type Version = (typeof VERSIONS)[number]

let old: string
let world: AoWorld
let agh: AghBeside

beforeAll(() => {
  buildAo()
  old = realpathSync(mkdtempSync(join(tmpdir(), 'aot-before-')))
  const archive = readFileSync(join(ROOT, 'test/fixtures/release-before/package.tar.br'))
  execFileSync('tar', ['-x', '-C', old], { input: brotliDecompressSync(archive) })
  symlinkSync(join(ROOT, 'node_modules'), join(old, 'node_modules'))
}, 120_000)
afterAll(() => rmSync(old, { recursive: true, force: true }))

afterEach(async () => {
  run('now', ['stop', '--sessions'])
  await agh.stop()
  expect(await world.temp.cleanup()).toEqual([])
})

function begin(runtime: string, permissions = 'skip', { scm = 'scm: local', more = '', top = '' } = {}): void {
  world = createAoWorld({
    config: `port: 0\n${top}defaults: { runtime: ${runtime}, notifiers: [] }\nprojects: { app: { path: ., agent: demo, tracker: local, ${scm}, agentConfig: { permissions: ${permissions} }${more} } }\n`,
  })
  agh = aghBeside(world.temp.home, world.temp.env)
  run('now', ['config', 'trust', '--yes'])
}

function run(version: Version, args: string[], program: 'ao' | 'agh' = 'ao') {
  if (version === 'now' && program === 'ao' && runsHere(args)) {
    const { exitCode, ...printed } = runBeside(args, { env: world.temp.env, repo: world.repo })
    return { ...printed, code: exitCode }
  }
  const dist = version === 'before' ? join(old, 'dist') : join(AO, '..')
  const options = { cwd: world.repo, env: world.temp.env, encoding: 'utf8', timeout: 60_000, input: '' } as const
  const done = spawnSync(process.execPath, [join(dist, `${program}.js`), ...args], options)
  return { code: done.status, stdout: done.stdout, stderr: done.stderr }
}

const demo = (...lines: string[]) => lines.map((line) => `demo: ${line}`).join('\n')
const statusOf = (version: Version) => {
  const { sessions } = JSON.parse(run(version, ['session', 'ls', '--all', '--json']).stdout) as {
    sessions: Array<{ id: string; status: string }>
  }
  return sessions.find(({ id }) => id === 'app-1')?.status
}
/** Until this version lists it; what the one in question lists is asked once. */
async function needsInput(version: Version): Promise<void> {
  await waitFor('the question', () => statusOf('now') === 'needs_input', 60_000)
  expect(statusOf(version)).toBe('needs_input')
}
const other = (version: Version): Version => (version === 'now' ? 'before' : 'now')

describe('each runtime', () => {
  it.each(cover(['tmux', 'process', 'acp'], VERSIONS))(
    '%s: a session started by the version %s is listed, told, ended and restored by the other',
    async (runtime, first) => {
      begin(runtime, 'default')
      const second = other(first)
      const spawned = run(first, ['spawn', '--prompt', demo('write draft one', 'ask Which?')])
      expect(spawned, spawned.stderr).toMatchObject({ code: 0 })
      await needsInput(second)
      const told = run(second, ['send', 'app-1', 'The first one', '--no-wait'])
      expect(told.code === 0 || told.stderr.trim() !== '', told.stderr).toBe(true)
      expect(run(second, ['session', 'kill', 'app-1', '--purge'])).toMatchObject({ code: 0 })
      expect(run(first, ['session', 'restore', 'app-1'])).toMatchObject({ code: 0 })
      expect(readFileSync(join(world.temp.home, '.worktrees/app/app-1/draft'), 'utf8')).toBe('one\n')
      expect(run(second, ['session', 'kill', 'app-1'])).toMatchObject({ code: 0 })
      const verified = run('now', ['doctor', '--verify'])
      expect(verified, verified.stdout).toMatchObject({ code: 0 })
    },
    240_000,
  )
})

describe('the daemon is replaced by the other version', () => {
  const file = (name: string) => join(world.temp.home, '.worktrees/app/app-1', name)
  const isThere = (name: string) => () => existsSync(file(name))

  /** The daemon of the first version is gone as in an upgrade, and the other one takes over. */
  async function replace(second: Version): Promise<void> {
    await agh.kill()
    expect(run(second, ['daemon', 'start'], 'agh').code).toBe(0)
  }

  // The turn in which a question waits goes on both ways as well.
  it.each(THOROUGH ? VERSIONS : VERSIONS.slice(0, 1))(
    '%s, in the middle of a turn, which goes on',
    async (first) => {
      begin('acp')
      expect(run(first, ['daemon', 'start'], 'agh').code).toBe(0)
      const go = join(world.temp.home, 'go')
      const wait = join(world.temp.home, 'wait')
      writeFileSync(wait, `until [ -e '${go}' ]; do sleep 0.1; done\n`)
      const script = demo('write draft one', `run sh ${wait}`, 'write done two', 'finish all')
      expect(run(first, ['spawn', '--prompt', script])).toMatchObject({ code: 0 })
      await waitFor('the turn', isThere('draft'), 60_000)
      await replace(other(first))
      writeFileSync(go, '')
      await waitFor('the rest of the turn', isThere('done'), 60_000)
    },
    180_000,
  )

  it.each(VERSIONS)(
    '%s, while a question for permission waits, which the other one answers',
    async (first) => {
      begin('acp', 'default')
      expect(run(first, ['daemon', 'start'], 'agh').code).toBe(0)
      expect(run(first, ['spawn', '--prompt', demo('run touch asked', 'write done two', 'finish all')])).toMatchObject({
        code: 0,
      })
      await needsInput(first)
      await replace(other(first))
      await needsInput(other(first))
      const approved = run(other(first), ['session', 'approve', 'app-1'])
      expect(approved, approved.stderr).toMatchObject({ code: 0 })
      await waitFor('the rest of the turn', isThere('done'), 60_000)
      expect(isThere('asked')()).toBe(true)
    },
    240_000,
  )
})

describe('what only this version knows', () => {
  it('is listed, left alone and not lost by the version before, and refused by name in a configuration', () => {
    begin('process')
    expect(run('now', ['spawn', '--prompt', demo('ask Which?')])).toMatchObject({ code: 0 })
    expect(run('now', ['spawn', '--needs', 'app-1', '--prompt', demo('write after it')])).toMatchObject({ code: 0 })
    const project = dirname(findFile(join(world.temp.home, '.agent-orchestrator'), 'sessions'))
    const record = () => readFileSync(join(project, 'sessions', 'app-2'), 'utf8')
    const [before, history] = [record(), join(project, 'history', 'app-1.jsonl')]
    const last = JSON.parse(readFileSync(history, 'utf8').trim().split('\n').at(-1)!)
    appendFileSync(history, `${JSON.stringify({ ...last, seq: last.seq + 1, type: 'of.tomorrow' })}\n`)
    for (const args of [
      ['events', 'app-1'],
      ['session', 'rename', 'app-2', 'Later'],
      ['session', 'cleanup'],
      ['session', 'restore', '--all'],
    ])
      expect(run('before', args), args.join(' ')).toMatchObject({ code: 0 })
    expect(record()).toBe(`${before}pinnedSummary=Later\n`)
    expect(run('now', ['stack']).stdout).toContain('app-2 when app-1 landed')
    const config = join(world.repo, 'agent-orchestrator.yaml')
    writeFileSync(config, `${readFileSync(config, 'utf8')}disk: { rescueDays: 30 }\n`)
    expect(run('before', ['session', 'ls'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('disk: unknown'),
    })
  }, 120_000)
})

function findFile(directory: string, name: string): string {
  return join(
    directory,
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).find((one) => one.endsWith(`/${name}`))!,
  )
}

describe('the loop is replaced by the other version', () => {
  it.each(VERSIONS)(
    '%s, in the middle of a train, which lands everything once',
    async (first) => {
      const home = () => world.temp.home
      const check = '[ ! -e $HOME/hold ] || { touch $HOME/testing; until [ -e $HOME/go ]; do sleep 0.1; done; }'
      const scm = `scm: { plugin: local, ci: { commands: [{ name: test, run: '${check}' }] } }`
      begin('process', 'skip', { scm, more: ', landing: { mode: train }', top: 'lifecycle: { pollSeconds: 1 }\n' })
      const loop = (version: Version) => JSON.parse(run(version, ['start', '--json']).stdout) as { pid: number }
      const pulls = (version: Version) =>
        (
          JSON.parse(run(version, ['pr', 'ls', '--all', '--json']).stdout) as {
            pullRequests: Array<{ state: string; ci: string }>
          }
        ).pullRequests
      const { pid } = loop(first)
      for (const name of ['one', 'two'])
        expect(
          run(first, [
            'spawn',
            '--prompt',
            demo(`append log-${name} ${name}`, `commit ${name}`, `pr ${name}`, 'finish done'),
          ]),
        ).toMatchObject({ code: 0 })
      const green = (version: Version) => pulls(version).filter(({ ci }) => ci === 'passing').length
      await waitFor('two green ones', () => green('now') === 2, 60_000)
      expect(green(first)).toBe(2)
      git(world.repo, world.temp.env, 'commit', '--quiet', '--allow-empty', '-m', 'of somebody else')
      writeFileSync(join(home(), 'hold'), '')
      for (const number of ['1', '2'])
        expect(run(first, ['pr', 'review', number, '--approve'])).toMatchObject({ code: 0 })
      for (const number of ['1', '2']) run(first, ['land', 'add', number])
      await waitFor('the train', () => existsSync(join(home(), 'testing')), 60_000)
      const killed = identify(pid)!
      process.kill(pid, 'SIGKILL')
      // As long as it is there, the other version finds a loop that runs, and starts none.
      await waitFor('the loop to be gone', () => processState(killed) === 'dead')
      writeFileSync(join(home(), 'go'), '')
      expect(loop(other(first)).pid).not.toBe(pid)
      await waitFor(
        'both to be merged',
        () => {
          if (pulls('now').every(({ state }) => state === 'merged')) return true
          throw new Error(run('now', ['land', 'ls']).stdout)
        },
        120_000,
      )
      expect(readFileSync(join(world.repo, 'log-one'), 'utf8')).toBe('one\n')
      const subjects = git(world.repo, world.temp.env, 'log', '--format=%s', 'main').split('\n')
      for (const name of ['one', 'two']) expect(subjects.filter((line) => line.includes(name))).toHaveLength(1)
    },
    240_000,
  )
})
