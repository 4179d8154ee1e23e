import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRecord } from '../../src/contract/record.ts'
import { statusOfRecord } from '../../src/core/status/status-of-record.ts'
import { repeats } from '../support/cover.ts'
import { waitFor } from '../support/wait-for.ts'
import { createInsideSession, FAKE_BIN, type InsideSession } from './inside-session.ts'

const TIMES = repeats(200, 40)

const URL_1 = 'https://github.com/org/repo/pull/123'

let inside: InsideSession

beforeEach(async () => {
  inside = await createInsideSession()
})
afterEach(async () => {
  expect(await inside.temp.cleanup()).toEqual([])
})

/** Runs gh with these outputs, through the wrapper or without it. */
function gh(
  args: string[],
  says: {
    stdout?: string | Buffer
    stderr?: string | Buffer
    exit?: number
    env?: NodeJS.ProcessEnv
    direct?: boolean
  } = {},
) {
  const stdout = join(inside.temp.home, 'stdout')
  const stderr = join(inside.temp.home, 'stderr')
  writeFileSync(stdout, says.stdout ?? '')
  writeFileSync(stderr, says.stderr ?? '')
  const env = { FAKE_STDOUT: stdout, FAKE_STDERR: stderr, FAKE_EXIT: String(says.exit ?? 0), ...says.env }
  return inside.run(says.direct ? join(FAKE_BIN, 'gh') : 'gh', args, { env })
}

const recorded = () => {
  const { pr, status } = inside.pairs()
  return { pr, status }
}
const NOTHING = { pr: undefined, status: 'working' }

describe('the facts and the status', () => {
  const facts = () => readRecord(inside.pairs())

  it.each([
    ['a pull request', ['pr', 'create', '--fill'], '', 'pr_open'],
    ['a pull request while a person was waited for', ['pr', 'create', '--fill'], 'alarm=needs_input\n', 'pr_open'],
    ['a merge, which the forge has not confirmed yet', ['pr', 'merge'], `pr=${URL_1}\n`, 'pr_open'],
  ])('agree after %s', (_what, args, more, word) => {
    writeFileSync(inside.file, `${readFileSync(inside.file, 'utf8')}launched=yes\n${more}`)
    gh(args, { stdout: `${URL_1}\n` })
    expect([facts().status, statusOfRecord(facts())]).toEqual([word, word])
  })
})

describe('gh pr create', () => {
  it('S1.74 notes the URL with status pr_open', () => {
    const run = gh(['pr', 'create', '--title', 'x', '--body', 'y'], { stdout: `${URL_1}\n`, stderr: 'Creating…\n' })
    expect(run.stdout.toString()).toBe(`${URL_1}\n`)
    expect(run.stderr.toString()).toBe('Creating…\n')
    expect(recorded()).toEqual({ pr: URL_1, status: 'pr_open' })
  })

  it.each([
    ['its other name', ['pr', 'new', '--fill']],
    ['options before the command', ['pr', '-R', 'org/repo', 'create', '--fill']],
    ['the repository first', ['--repo', 'org/repo', 'pr', 'create']],
    ['texts that look like options', ['pr', 'create', '--title', '--web', '--body', '--dry-run']],
  ])('S1.74 is known with %s', (_name, args) => {
    gh(args, { stdout: `${URL_1}\n` })
    expect(recorded()).toEqual({ pr: URL_1, status: 'pr_open' })
  })

  it('S1.74 takes the last URL, and one inside a sentence after success', () => {
    gh(['pr', 'create'], { stdout: `see https://github.com/org/repo/pull/1\n${URL_1}\r\n` })
    expect(recorded().pr).toBe(URL_1)
    gh(['pr', 'create'], { stdout: 'Created: https://ghe.example.com/o/r/pull/7.\n' })
    expect(recorded().pr).toBe('https://ghe.example.com/o/r/pull/7')
  })

  it('keeps the ones before it, each once', () => {
    const others = [2, 3].map((number) => URL_1.replace(/\d+$/, `90${number}`))
    for (const url of [URL_1, ...others, others[0], URL_1]) gh(['pr', 'create'], { stdout: `${url}\n` })
    expect(inside.pairs()).toMatchObject({ pr: others[1], prs: [URL_1, ...others].join(' '), status: 'pr_open' })
  })

  it('notes a pull request that exists although a later step failed', () => {
    const run = gh(['pr', 'create'], { stdout: `${URL_1}\n`, stderr: 'could not add reviewer\n', exit: 1 })
    expect(run.status).toBe(1)
    expect(recorded()).toEqual({ pr: URL_1, status: 'pr_open' })
  })

  it.each([
    ['no URL was printed', { stdout: 'nothing here\n' }],
    ['it failed', { stderr: `a pull request already exists:\n${URL_1}\n`, exit: 1 }],
    ['it failed with a URL in its words', { stdout: `see ${URL_1} for help\n`, exit: 1 }],
    ['the URL is of something else', { stdout: 'https://github.com/org/repo/issues/5\n' }],
  ])('S1.74 notes nothing when %s', (_name, says) => {
    gh(['pr', 'create'], says)
    expect(recorded()).toEqual(NOTHING)
  })

  it.each([['--dry-run'], ['--web'], ['-w'], ['--help']])('notes nothing with %s', (option) => {
    gh(['pr', 'create', option], { stdout: `${URL_1}\n` })
    expect(recorded()).toEqual(NOTHING)
  })

  it('does not reset a status that has moved on since the pull request was recorded', () => {
    writeFileSync(inside.file, `status=ci_failed\npr=${URL_1}\n`)
    const inode = inside.inode()
    gh(['pr', 'create'], { stdout: `${URL_1}\n` })
    expect(recorded()).toEqual({ pr: URL_1, status: 'ci_failed' })
    expect(inside.inode()).toBe(inode)
  })

  it('notes nothing for an orchestrator, whose pull requests are other sessions’', () => {
    gh(['pr', 'create'], { stdout: `${URL_1}\n`, env: { AO_CALLER_TYPE: 'orchestrator' } })
    expect(recorded()).toEqual(NOTHING)
  })
})

describe('gh pr merge', () => {
  it.each([
    ['the branch’s own', {}, []],
    ['the session’s, by number', { pr: URL_1 }, ['123', '--squash']],
    ['the session’s, by URL', { pr: URL_1 }, [URL_1]],
    ['the session’s, by branch', { branch: 'feat/x' }, ['feat/x', '-d']],
    ['one, when none is known yet', {}, ['9']],
    ['one with a text', { pr: URL_1 }, ['--subject', 'text', '123', '-r']],
  ])('S1.75 that succeeds writes status=merged: %s', (_name, pairs, args) => {
    writeFileSync(
      inside.file,
      Object.entries({ status: 'approved', ...pairs })
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
    )
    gh(['pr', 'merge', ...args])
    expect(recorded().status).toBe('merged')
  })

  it.each([
    ['it fails', {}, [], 1],
    ['it is only asked for later', {}, ['--auto', '--squash'], 0],
    ['it is another’s, by number', { pr: URL_1 }, ['124'], 0],
    ['it is another’s, by URL', { pr: URL_1 }, ['https://github.com/org/repo/pull/124'], 0],
    ['it is another’s, by branch', { branch: 'feat/x' }, ['feat/y'], 0],
  ])('S1.75 writes nothing when %s', (_name, pairs, args, exit) => {
    writeFileSync(
      inside.file,
      Object.entries({ status: 'approved', ...pairs })
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
    )
    expect(gh(['pr', 'merge', ...args], { exit }).status).toBe(exit)
    expect(recorded().status).toBe('approved')
  })
})

describe('what the caller sees', () => {
  const noise = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919 + (index >> 3)) % 256))

  it.each([
    ['pr create', ['pr', 'create'], { stdout: `${URL_1}\n`, stderr: 'words\n' }],
    ['pr create, without newline', ['pr', 'create'], { stdout: URL_1 }],
    ['pr create, any bytes', ['pr', 'create'], { stdout: noise, stderr: noise }],
    ['pr create, silent', ['pr', 'create'], {}],
    ['pr create, failed', ['pr', 'create'], { stderr: 'no\n', exit: 4 }],
    ['pr create, status above 128', ['pr', 'create'], { exit: 143 }],
    ['pr merge', ['pr', 'merge', '1'], { stdout: noise, stderr: 'merged\n' }],
    ['pr merge, failed', ['pr', 'merge'], { exit: 1 }],
    ['pr list', ['pr', 'list'], { stdout: noise, exit: 2 }],
    ['api', ['api', 'graphql', '-f', 'query=a b\nc'], { stdout: '{}' }],
    ['nothing', [], { stderr: 'usage\n', exit: 1 }],
  ])('S1.76 S1.77 F33 is byte for byte the real command’s: %s', (_name, args, says) => {
    const log = join(inside.temp.home, 'log')
    const wrapped = gh(args, { ...says, env: { FAKE_LOG: log } })
    const direct = gh(args, { ...says, env: { FAKE_LOG: log }, direct: true })
    expect(wrapped.stdout.equals(direct.stdout)).toBe(true)
    expect(wrapped.stderr.equals(direct.stderr)).toBe(true)
    expect([wrapped.status, wrapped.signal]).toEqual([direct.status, direct.signal])
    const [first, second] = readFileSync(log, 'utf8').split(`${args.join(' ')}\n`)
    expect([first, second]).toEqual(['', ''])
    expect(readdirSync(inside.stateDir)).toEqual([])
  })

  it(`S1.76 is the same ${TIMES} times in a row`, { timeout: 120_000 }, () => {
    const script = `for ((i = 0; i < ${TIMES}; i++)); do
      export FAKE_EXIT=$((i % 3)); out=$(gh pr create 2>"$HOME/err"); [ "$?:$out:$(<"$HOME/err")" = "$FAKE_EXIT:${URL_1}:words" ] || echo "round $i: $out"
    done`
    const stdout = join(inside.temp.home, 'stdout')
    const stderr = join(inside.temp.home, 'stderr')
    writeFileSync(stdout, `${URL_1}\n`)
    writeFileSync(stderr, 'words\n')
    const run = inside.bash(script, { env: { FAKE_STDOUT: stdout, FAKE_STDERR: stderr } })
    expect(`${run.stdout}${run.stderr}`).toBe('')
    expect(recorded()).toEqual({ pr: URL_1, status: 'pr_open' })
  })

  it('gets its own standard input to the real command', () => {
    const env = { FAKE_STDIN: 'yes' }
    for (const args of [
      ['pr', 'create', '--body-file', '-'],
      ['pr', 'merge'],
      ['pr', 'list'],
    ]) {
      expect(inside.run('gh', args, { env, input: 'the body' }).stdout.toString()).toBe('the body')
    }
  })

  it.each([
    ['SIGTERM', 'create', 'terminated'],
    ['SIGINT', 'create', 'interrupted'],
    ['SIGTERM', 'merge', 'terminated'],
    ['SIGINT', 'merge', 'interrupted'],
  ] as const)('%s during gh pr %s reaches the real command', async (signal, action, word) => {
    const log = join(inside.temp.home, 'log')
    const env = { ...inside.env, FAKE_WAIT: 'yes', FAKE_LOG: log }
    const child = spawn('gh', ['pr', action], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: Buffer[] = []
    child.stderr.on('data', (data: Buffer) => lines.push(data))
    const ended = new Promise((resolve) => child.on('close', (code, by) => resolve(code ?? by)))
    await waitFor('the real gh', () => existsSync(log) && readFileSync(log, 'utf8').includes('ready'))
    child.kill(signal)
    expect(await ended).toBe(signal)
    expect(readFileSync(log, 'utf8')).toContain(word)
    expect(Buffer.concat(lines).toString()).toBe('')
    expect(recorded()).toEqual(NOTHING)
    expect(readdirSync(inside.stateDir)).toEqual([])
  })

  it('keeps a terminal a terminal, and asks for the URL afterwards', async () => {
    const { spawn: spawnPty } = await import('@lydell/node-pty')
    const env = { ...inside.env, FAKE_TTY: 'yes', FAKE_VIEW: URL_1 } as Record<string, string>
    const terminal = spawnPty('gh', ['pr', 'create'], { env, cwd: inside.temp.home })
    let screen = ''
    terminal.onData((data) => {
      screen += data
    })
    const code = await new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
    expect(code).toBe(0)
    await waitFor('the screen', () => screen.includes('stdout is a terminal'))
    expect(recorded()).toEqual({ pr: URL_1, status: 'pr_open' })
  })
})

describe('where the real gh is', () => {
  it('F33 is found behind the wrapper, however often and under whatever name its directory is on PATH', async () => {
    const link = join(inside.temp.home, 'link')
    symlinkSync(inside.bin, link)
    const other = await createInsideSession()
    const path = [inside.bin, `${inside.bin}/`, link, other.bin, inside.bin, FAKE_BIN, inside.temp.env.PATH].join(':')
    const run = gh(['pr', 'create'], { stdout: `${URL_1}\n`, env: { PATH: path } })
    expect(run.stdout.toString()).toBe(`${URL_1}\n`)
    expect(recorded().status).toBe('pr_open')
    expect(await other.temp.cleanup()).toEqual([])
  })

  it('F33 nowhere: 127 and one clear line', () => {
    const empty = join(inside.temp.home, 'tools')
    mkdirSync(empty)
    const run = inside.run(join(inside.bin, 'gh'), ['pr', 'list'], {
      env: { PATH: `${inside.bin}:${empty}:${inside.bin}` },
    })
    expect(run.status).toBe(127)
    expect(run.stdout.toString()).toBe('')
    expect(run.stderr.toString()).toBe('ao: gh is not installed: no directory on PATH has it\n')
  })

  it('S1.92 without AO_SESSION or AO_DATA_DIR the real command runs and nothing is written', () => {
    for (const env of [{ AO_SESSION: '' }, { AO_DATA_DIR: '' }]) {
      expect(gh(['pr', 'create'], { stdout: `${URL_1}\n`, env }).stdout.toString()).toBe(`${URL_1}\n`)
    }
    expect(recorded()).toEqual(NOTHING)
  })

  it('F33 a record that cannot be written changes nothing for the caller', () => {
    const run = gh(['pr', 'create'], { stdout: `${URL_1}\n`, env: { AO_DATA_DIR: '/etc' } })
    expect([run.status, run.stdout.toString(), run.stderr.toString()]).toEqual([0, `${URL_1}\n`, ''])
    expect(readFileSync(join(inside.stateDir, 'wrappers.log'), 'utf8')).toMatch(/not below a directory that ao trusts/)
  })

  it('in a project without a forge ao answers instead', () => {
    const facade = join(inside.temp.home, 'facade')
    writeFileSync(facade, '#!/bin/sh\nprintf "<%s>" "$@"; exit 5\n')
    chmodSync(facade, 0o755)
    const run = inside.run('gh', ['pr', 'create', '--title', 'a b'], { env: { AO_GH_FACADE: `${facade} gh --` } })
    expect([run.status, run.stdout.toString()]).toEqual([5, '<gh><--><pr><create><--title><a b>'])
    writeFileSync(join(inside.bin, 'ao'), '#!/bin/sh\nprintf "[%s]" "$@"\n')
    const env = { AO_GH_FACADE: 'ao gh', PATH: inside.temp.env.PATH }
    expect(inside.run(join(inside.bin, 'gh'), ['pr', 'list'], { env }).stdout.toString()).toBe('[gh][pr][list]')
  })
})
