import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SESSION_STATUSES } from '../../src/contract/status.ts'
import { encodeValue, parsePairs } from '../../src/core/text/key-value.ts'
import { trustRoot } from '../../src/inside/path-wrappers.ts'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { createInsideSession, type InsideSession, type RunOptions } from './inside-session.ts'

let inside: InsideSession

beforeEach(async () => {
  inside = await createInsideSession()
})
afterEach(async () => {
  expect(await inside.temp.cleanup()).toEqual([])
})

function update(pairs: string[], options: RunOptions = {}) {
  const script = '. ~/.ao/bin/ao-metadata-helper.sh && update_ao_metadata "$@"'
  const run = inside.run('bash', ['-c', script, 'bash', ...pairs], options)
  return { ok: run.status === 0, stderr: run.stderr.toString().trim() }
}

const unchanged = (before: string) => expect(readFileSync(inside.file, 'utf8')).toBe(before)
const content = () => readFileSync(inside.file, 'utf8')

describe('update_ao_metadata', () => {
  it('S1.89 changes its keys, adds new ones, and leaves every other line as it is', () => {
    writeFileSync(inside.file, '# by hand\nproject =my-service\nstatus=working\n\nodd line\nsummary=a%0Ab\n')
    expect(update(['status', 'pr_open', 'pr', 'https://github.com/o/r/pull/1'])).toEqual({ ok: true, stderr: '' })
    expect(content().replace(/^statusSince=.*$/m, 'statusSince=now')).toBe(
      '# by hand\nproject =my-service\nstatus=pr_open\n\nodd line\nsummary=a%0Ab\npr=https://github.com/o/r/pull/1\n' +
        'statusSince=now\nstatusBefore=working\n',
    )
    expect(statSync(inside.file).mode & 0o777).toBe(0o600)
    expect(readdirSync(inside.sessions).sort()).toEqual(['.locks', 'svc-1'])
    expect(readdirSync(join(inside.sessions, '.locks'))).toEqual([])
  })

  it('writes when the status became what it is, and what it was until ao has put that into the history', () => {
    writeFileSync(inside.file, 'status=working\nstatusSince=2020-01-01T00:00:00.000Z\n')
    const before = Date.now()
    update(['status', 'pr_open'])
    update(['mergeReported', 'yes', 'status', 'merged'])
    const { statusSince, ...pairs } = inside.pairs()
    expect(pairs).toEqual({ status: 'merged', statusBefore: 'working', mergeReported: 'yes' })
    expect(Date.parse(statusSince!)).toBeGreaterThanOrEqual(Math.floor(before / 1_000) * 1_000)
    update(['mergeReported', 'yes', 'status', 'merged'])
    expect(inside.pairs().statusSince).toBe(statusSince)
    expect(update(['statusSince', 'x']).stderr).toMatch(/statusSince cannot be changed/)
  })

  it('leaves a record of a newer version as it is, says so, and holds no lock afterwards', () => {
    const text = 'project=x\nversion=2\nstatus=working\n'
    writeFileSync(inside.file, text)
    expect(update(['status', 'pr_open'])).toEqual({ ok: false, stderr: expect.stringContaining('is of version 2') })
    unchanged(text)
    expect(readdirSync(join(inside.sessions, '.locks'))).toEqual([])
    writeFileSync(inside.file, 'version=1\nproject=x\n')
    expect(update(['summary', 'c'])).toMatchObject({ ok: true })
    expect(content()).toBe('version=1\nproject=x\nsummary=c\n')
    expect(update(['version', '2']).stderr).toMatch(/version cannot be changed/)
  })

  it('replaces all lines of a key that occurs twice', () => {
    writeFileSync(inside.file, 'summary=a\nproject=x\nsummary = b\r\n')
    update(['summary', 'c'])
    expect(content()).toBe('summary=c\nproject=x\n')
  })

  it('adds to a file without a newline at its end', () => {
    writeFileSync(inside.file, 'project=x\nstatus=a')
    update(['branch', 'b'])
    expect(content()).toBe('project=x\nstatus=a\nbranch=b\n')
  })

  it('writes nothing when all is equal already', () => {
    const inode = inside.inode()
    expect(update(['status', 'working'])).toEqual({ ok: true, stderr: '' })
    expect(inside.inode()).toBe(inode)
  })

  it.each(['a&b', 'a/b', 'a\\b', 'a|b', 'a\\1&\\n', '$(touch x)', '`id`', '"quoted" \'too\'', 'ä€😀', '*', '-n', ''])(
    'S1.88 stores %j verbatim',
    (value) => {
      update(['summary', value])
      expect(content()).toContain(`\nsummary=${value}\n`)
    },
  )

  it('S1.25 stores any value as the Node side would, and can add neither line nor key', () => {
    const part = fc.constantFrom(
      '%',
      '%25',
      '%20',
      '%0',
      '%0A',
      '%7F',
      '%7f',
      '2',
      ' ',
      '\t',
      '\n',
      '\r',
      '\x01',
      '\x7f',
      '\x1b',
    )
    const value = fc.oneof(
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    )
    // NUL cannot be an argument; lone surrogates are not text.
    const usable = value.filter((text) => !text.includes('\0') && text.isWellFormed())
    const samples = fc.sample(usable, { numRuns: 150, seed: 7 })
    const script = `. ~/.ao/bin/ao-metadata-helper.sh; LC_ALL=C; for value; do _ao_encode "$value"; printf '%s\\0' "$_ao_encoded"; done`
    const run = inside.run('bash', ['-c', script, 'bash', ...samples])
    expect(run.stdout.toString().split('\0').slice(0, -1)).toEqual(samples.map(encodeValue))
    update(['summary', 'x\nstatus=merged\npr=https://evil.test/a/b/pull/1'])
    expect(inside.pairs()).toMatchObject({
      status: 'working',
      summary: 'x\nstatus=merged\npr=https://evil.test/a/b/pull/1',
    })
    expect(inside.pairs()).not.toHaveProperty('pr')
  })

  it('keeps a long value whole', () => {
    const prompt = 'long text % with = signs '.repeat(4_000)
    writeFileSync(inside.file, `userPrompt=${prompt}\nstatus=working\n`)
    update(['status', 'pr_open'])
    expect(content().startsWith(`userPrompt=${prompt}\nstatus=pr_open\nstatusSince=`)).toBe(true)
  })

  it('says how it is called, and refuses keys that are none', () => {
    const before = content()
    expect(update([]).stderr).toMatch(/usage/)
    expect(update(['status']).stderr).toMatch(/usage/)
    expect(update(['a=b', 'x']).stderr).toMatch(/key/)
    expect(update(['', 'x']).stderr).toMatch(/key/)
    expect(update(['createdAt', 'x']).stderr).toMatch(/createdAt cannot be changed/)
    unchanged(before)
  })

  it.each([
    ...[
      'worktree',
      'workspace',
      'runtime',
      'runtimeHandle',
      'tmuxName',
      'role',
      'spawnId',
      'project',
      'agent',
      'launch',
    ],
    ...['operation', 'operationData', 'prFacts', 'prAutoDetect', 'issue', 'restoredAt', 'note', 'anythingElse'],
  ])('an agent cannot change %s, alone or among others', (key) => {
    const before = content()
    expect(update([key, 'x'])).toEqual({
      ok: false,
      stderr: expect.stringContaining(`${key} cannot be changed from inside`),
    })
    expect(update(['summary', 'fine', key, 'x', 'branch', 'b']).ok).toBe(false)
    unchanged(before)
  })

  it.each([...SESSION_STATUSES])('an agent may say that it is working or has a pull request, not %s', (status) => {
    expect(update(['status', status]).ok).toBe(['working', 'pr_open'].includes(status))
  })

  const FORGED: ReadonlyArray<readonly [string, string]> = [
    ['status', 'merged'],
    ['status', 'done'],
    ['status', '--help'],
    ['endedAs', 'merged'],
    ['endedAs', 'killed'],
    ['mergeReported', 'no'],
    ['alarm', 'stuck'],
    ['pr', 'javascript:alert(1)'],
    ['pr', 'JaVaScRiPt://github.com/o/r/pull/1'],
    ['pr', 'data:text/html,x/pull/1'],
    ['pr', 'file:///o/r/pull/1'],
    ['pr', '--help'],
    ['pr', '1'],
    ['pr', 'https://github.com/o/r'],
    ['pr', 'https://github.com/o/r/pull/1#<script>'],
    ['pr', 'https://user@github.com/o/r/pull/1'],
    ['pr', 'https://github.com/o/r/pull/1\nstatus=merged'],
    ['pr', 'https://github.com/o/r/pull/1 --repo x'],
    ['branch', '--help'],
    ['branch', '-b'],
    ['branch', ''],
    ['branch', 'main'],
    ['branch', 'master'],
    ['branch', 'HEAD'],
    ['branch', '@'],
    ['branch', 'a..b'],
    ['branch', 'a b'],
    ['branch', 'a\nb'],
    ['branch', '\x1b[31mx'],
    ['branch', 'x@{1}'],
    ['branch', 'x.lock'],
    ['branch', '/x'],
    ['branch', 'feat:main'],
    ['branch', 'feat/theirs'],
    ['prFacts', '{"state":"merged"}'],
    ['prState', 'merged'],
    ['review', 'approved'],
    ['budgetUsd', '1000'],
    ['__proto__', 'x'],
    ['note.', 'x'],
  ]
  it.each(FORGED)('N7 an agent cannot write %s=%j', (key, value) => {
    writeFileSync(join(inside.sessions, 'svc-2'), 'status=working\nbranch=feat/theirs\n')
    const before = content()
    expect(update([key, value]).ok).toBe(false)
    expect(update(['summary', 'fine', key, value]).ok).toBe(false)
    unchanged(before)
  })

  it.each([
    ['pr', 'https://evil.example/o/r/pull/1', false],
    ['pr', 'https://github.com.evil.example/o/r/pull/1', false],
    ['pr', 'https://github.com:8443/o/r/pull/1', false],
    ['pr', 'https://github.com/o/r/pull/1', true],
    ['pr', 'https://github.com/o/r/pull/1', true, 'github.com/o/r'],
    ['pr', 'https://github.com/O/R/pull/1', true, 'github.com/o/r'],
    ['pr', 'https://gitlab.example.org/o/r/-/merge_requests/1', true, 'gitlab.example.org/o/r'],
    ['pr', 'https://github.com/o/rr/pull/1', false, 'github.com/o/r'],
    ['pr', 'https://github.com/o/private/pull/1', false, 'github.com/o/r'],
    ['pr', 'https://gitlab.example.org/o/r/theirs/-/merge_requests/1', false, 'gitlab.example.org/o/r'],
    ['pr', 'https://gitlab.example.org/theirs/o/r/-/merge_requests/1', false, 'gitlab.example.org/o/r'],
    ['branch', 'develop', false],
    ['branch', 'developer', true],
  ])(
    'N7 only the forge and not the base branch of its project can be %s: %s',
    (key, value, ok, forge = 'github.com') => {
      writeFileSync(inside.file, `${content()}baseBranch=develop\nforge=${forge}\n`)
      expect(update([key, value]).ok).toBe(ok)
      // An agent cannot make it another forge first.
      expect(update(['forge', 'evil.example', key, value]).ok).toBe(false)
      writeFileSync(inside.file, `${content().replace(`forge=${forge}`, 'forge=ao')}`)
      expect(update(['pr', 'https://github.com/o/r/pull/2']).ok).toBe(false)
    },
  )

  it.each([
    ['pr', 'https://github.com/o/r/pull/1'],
    ['pr', 'https://gitlab.example.org/group/sub/r/-/merge_requests/12'],
    ['pr', 'http://127.0.0.1:3000/o/r/pulls/7'],
    ['pr', 'http://localhost:3000/r/0123abcd/projects/app/pull/3'],
    ['branch', 'feat/my-branch'],
    ['branch', 'b'],
    ['branch', 'fix/#12_ü'],
    ['summary', '--help'],
    ['note.anything', 'javascript:alert(1)'],
  ])('an agent can write %s=%j', (key, value) => {
    expect(update([key, value])).toEqual({ ok: true, stderr: '' })
    expect(inside.pairs()[key]).toBe(value)
  })

  it('an agent of another session cannot change this one by naming it', () => {
    writeFileSync(inside.file, `${content()}spawnId=mine\n`)
    const before = content()
    expect(update(['summary', 'x'], { env: { AO_SPAWN_ID: 'theirs' } }).stderr).toMatch(/another session/)
    unchanged(before)
    expect(update(['summary', 'x'], { env: { AO_SPAWN_ID: 'mine' } }).ok).toBe(true)
  })

  it('leaves the shell that called it as it was', () => {
    const script = `. ~/.ao/bin/ao-metadata-helper.sh; umask 022; cd /; IFS=x; update_ao_metadata note.a b; pwd; umask; printf '%q %s' "$IFS" "$-"`
    expect(inside.bash(script).stdout.toString()).toMatch(/^\/\n0022\nx h?B?c?/)
  })
})

describe('where it writes', () => {
  it('S1.85 below ~/.agent-orchestrator and ~/.ao', () => {
    const other = join(inside.temp.home, '.ao', 'elsewhere', 'sessions')
    mkdirSync(other, { recursive: true })
    writeFileSync(join(other, 'svc-1'), 'status=working\n')
    expect(update(['status', 'pr_open']).ok).toBe(true)
    expect(update(['status', 'pr_open'], { env: { AO_DATA_DIR: other } }).ok).toBe(true)
  })

  it('S1.85 nowhere else, whatever HOME says and wherever links lead', () => {
    const foreign = join(inside.temp.home, 'foreign')
    mkdirSync(join(foreign, '.agent-orchestrator'), { recursive: true })
    writeFileSync(join(foreign, 'svc-1'), 'status=working\n')
    symlinkSync(foreign, join(inside.temp.home, '.agent-orchestrator', 'link'))
    const places: NodeJS.ProcessEnv[] = [
      { AO_DATA_DIR: foreign },
      { AO_DATA_DIR: join(inside.temp.home, '.agent-orchestrator', 'link') },
      { AO_DATA_DIR: `${inside.sessions}/../../../foreign` },
      { AO_DATA_DIR: 'foreign' },
      { AO_DATA_DIR: join(inside.temp.home, '.agent-orchestrator-evil') },
      { AO_DATA_DIR: '/' },
    ]
    for (const env of places) expect(update(['summary', 'x'], { env })).toMatchObject({ ok: false })
    const script = '. "$BIN/ao-metadata-helper.sh" && update_ao_metadata status x'
    const env = { HOME: foreign, AO_DATA_DIR: join(foreign, '.agent-orchestrator'), BIN: inside.bin }
    writeFileSync(join(foreign, '.agent-orchestrator', 'svc-1'), 'status=working\n')
    expect(inside.run('bash', ['-c', script], { env }).status).toBe(1)
    expect(readFileSync(join(foreign, 'svc-1'), 'utf8')).toBe('status=working\n')
  })

  it.each(['.agent-orchestrator', '.ao'])('S1.85 also when ~/%s is itself a link to another disk', (name) => {
    inside.bash(`mkdir ~/disk && mv ~/${name} ~/disk/data && ln -s ~/disk/data ~/${name}`)
    expect(update(['status', 'pr_open'])).toEqual({ ok: true, stderr: '' })
  })

  it('when it is sourced by a relative path, in a shell with unusual settings', () => {
    const script = `cd ~/.ao/bin && . ./ao-metadata-helper.sh && shopt -s failglob nocasematch && set -euC && update_ao_metadata status pr_open`
    expect(inside.bash(script).stderr.toString()).toBe('')
    expect(inside.pairs().status).toBe('pr_open')
  })

  it('S1.86 below a base that ao itself has used, and only then', async () => {
    const base = join(inside.temp.home, 'my data')
    const sessions = join(base, 'a3b4c5d6e7f8-x', 'sessions')
    mkdirSync(sessions, { recursive: true })
    writeFileSync(join(sessions, 'svc-1'), 'status=working\n')
    const env = { AO_DATA_DIR: sessions }
    expect(update(['status', 'pr_open'], { env }).stderr).toMatch(/not below a directory that ao trusts/)
    await trustRoot(inside.temp.home, base)
    expect(update(['status', 'pr_open'], { env })).toEqual({ ok: true, stderr: '' })
    expect(update(['summary', 'x'], { env: { AO_DATA_DIR: join(inside.temp.home, 'my data2') } }).ok).toBe(false)
  })

  it('trustRoot notes each base once and no standard one', async () => {
    const base = join(inside.temp.home, 'data')
    mkdirSync(base)
    await Promise.all([trustRoot(inside.temp.home, base), trustRoot(inside.temp.home, base)])
    await trustRoot(inside.temp.home, join(inside.temp.home, '.agent-orchestrator'))
    expect(readFileSync(join(inside.temp.home, '.ao', 'trusted-roots'), 'utf8')).toBe(`${base}\n`)
  })

  it.each(['../x', 'a/b', '..', '.', '.hidden', 'a b', 'x\ny'])('S1.87 refuses the session name %j', (name) => {
    writeFileSync(join(inside.sessions, '..', 'x'), 'status=working\n')
    expect(update(['summary', 'x'], { env: { AO_SESSION: name } })).toMatchObject({ ok: false })
    expect(readFileSync(join(inside.sessions, '..', 'x'), 'utf8')).toBe('status=working\n')
  })

  it('does not create a missing session, nor write through a link', () => {
    expect(update(['summary', 'x'], { env: { AO_SESSION: 'svc-2' } }).stderr).toMatch(/no session svc-2/)
    expect(existsSync(join(inside.sessions, 'svc-2'))).toBe(false)
    const victim = join(inside.temp.home, 'victim')
    writeFileSync(victim, 'mine=yes\n')
    symlinkSync(victim, join(inside.sessions, 'svc-3'))
    expect(update(['summary', 'x'], { env: { AO_SESSION: 'svc-3' } })).toMatchObject({ ok: false })
    expect(readFileSync(victim, 'utf8')).toBe('mine=yes\n')
  })

  it('S1.92 nowhere without AO_SESSION or AO_DATA_DIR', () => {
    expect(update(['summary', 'x'], { env: { AO_SESSION: '' } }).stderr).toMatch(/AO_SESSION or AO_DATA_DIR is not set/)
    expect(update(['summary', 'x'], { env: { AO_DATA_DIR: '' } }).ok).toBe(false)
    expect(inside.pairs().status).toBe('working')
  })
})

describe('when something is wrong', () => {
  it('M5 a full disk changes nothing and is reported', () => {
    writeFileSync(inside.file, `status=working\nuserPrompt=${'x'.repeat(20_000)}\n`)
    const before = content()
    // No file may grow beyond 8 KiB: the write fails half-way, as on a full disk.
    const script = 'trap "" XFSZ; . ~/.ao/bin/ao-metadata-helper.sh; ulimit -f 8; update_ao_metadata status pr_open'
    const run = inside.bash(script)
    expect(run.status).toBe(1)
    expect(run.stderr.toString()).toMatch(/could not be written/)
    unchanged(before)
    expect(readdirSync(join(inside.sessions, '.locks'))).toEqual([])
  })

  it('a file with NUL bytes keeps them for ao to inspect, and the update counts', () => {
    writeFileSync(inside.file, 'status=working\n\0\0\0\nbranch=x')
    expect(update(['status', 'pr_open'])).toEqual({ ok: true, stderr: '' })
    expect(content().startsWith('status=working\n\0\0\0\nbranch=x\nstatus=pr_open\n')).toBe(true)
    expect(parsePairs(content()).pairs).toMatchObject({ status: 'pr_open', branch: 'x', statusBefore: 'working' })
  })

  it('waits for a lock that is held, and takes one over whose owner is gone', () => {
    const lock = join(inside.sessions, '.locks', 'svc-1')
    const dead = `4194305:1:${currentProcess().boot}`
    symlinkSync(dead, lock)
    writeFileSync(`${lock}.scratch.${dead}`, 'half')
    expect(update(['status', 'pr_open'])).toEqual({ ok: true, stderr: '' })
    expect(readdirSync(join(inside.sessions, '.locks'))).toEqual([])
    symlinkSync(formatIdentity(currentProcess()), lock)
    const script = '. ~/.ao/bin/ao-metadata-helper.sh; (sleep 0.5; rm "$LOCK") & update_ao_metadata summary x; wait'
    expect(inside.bash(script, { env: { LOCK: lock } }).status).toBe(0)
    expect(inside.pairs().summary).toBe('x')
  })

  it('makes a missing lock directory', () => {
    rmSync(join(inside.sessions, '.locks'), { recursive: true })
    expect(update(['status', 'pr_open'])).toEqual({ ok: true, stderr: '' })
  })
})
