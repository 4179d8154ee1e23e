import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git as realGit } from '../support/git-repo.ts'
import { createInsideSession, type InsideSession } from './inside-session.ts'

const URL_1 = 'https://github.com/org/repo/pull/123'

let inside: InsideSession

beforeEach(async () => {
  inside = await createInsideSession()
})
afterEach(async () => {
  expect(await inside.temp.cleanup()).toEqual([])
})

interface Line {
  at: string
  agent: string
  event: string
  payload: Record<string, unknown> | null
}

const lines = (): Line[] =>
  readFileSync(join(inside.stateDir, 'hooks.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

function hook(event: string, payload: unknown, env: NodeJS.ProcessEnv = {}) {
  const input = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const run = inside.run(join(inside.bin, 'ao-hook'), ['claude-code', event], { input, env })
  expect([run.status, run.stdout.toString(), run.stderr.toString()]).toEqual([0, '', ''])
}

describe('ao-hook', () => {
  it('appends one line per event', () => {
    const before = new Date(Date.now() - 1)
    hook('SessionStart', { session_id: 'abc', source: 'startup' }, { TZ: 'America/New_York' })
    hook('Stop', { last_assistant_message: 'ä "quoted" \\ 😀\nline' })
    expect(lines()).toMatchObject([
      { agent: 'claude-code', event: 'SessionStart', payload: { session_id: 'abc', source: 'startup' } },
      { agent: 'claude-code', event: 'Stop', payload: { last_assistant_message: 'ä "quoted" \\ 😀\nline' } },
    ])
    expect(lines()[0]!.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(new Date(lines()[0]!.at).getTime()).toBeGreaterThanOrEqual(before.getTime())
  })

  it('puts JSON of several lines on one', () => {
    hook('Stop', JSON.stringify({ a: [1, 2], b: { c: 'x y' } }, null, 2))
    expect(lines()[0]!.payload).toEqual({ a: [1, 2], b: { c: 'x y' } })
  })

  it.each(['', 'not json', '[1]', '"x"', '{'])('records %j as an event without payload', (input) => {
    hook('Stop', input)
    expect(lines()).toMatchObject([{ event: 'Stop', payload: null }])
  })

  it('keeps a line below 64 KiB, still JSON, with all its keys', () => {
    const big = 'x"\n€'.repeat(200_000)
    hook('PostToolUse', {
      session_id: 'abc',
      tool_name: 'Write',
      tool_input: { content: big, file_path: '/f' },
      list: Array(9_000).fill(big.slice(0, 50)),
    })
    const text = readFileSync(join(inside.stateDir, 'hooks.jsonl'), 'utf8')
    expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024)
    expect(lines()[0]!.payload).toMatchObject({
      session_id: 'abc',
      tool_name: 'Write',
      tool_input: { file_path: '/f' },
      truncated: true,
    })
  })

  it('never mixes the lines of many hooks at once', async () => {
    const sizes = [10, 3_000, 5_000, 20_000, 50_000]
    const ends = Array.from({ length: 25 }, (_, index) => {
      const child = spawn(join(inside.bin, 'ao-hook'), ['codex', 'Stop'], {
        env: inside.env,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      child.stdin.end(JSON.stringify({ index, text: 'y'.repeat(sizes[index % 5]!) }))
      return new Promise((resolve) => child.on('exit', resolve))
    })
    expect(await Promise.all(ends)).toEqual(Array(25).fill(0))
    const seen = lines().map((line) => line.payload!.index as number)
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => index))
  })

  it('never fails the agent: no state directory, odd names, a full disk', () => {
    hook('Stop', {}, { AO_STATE_DIR: '' })
    hook('Stop', {}, { AO_STATE_DIR: '/no/such/place' })
    hook('', {})
    hook('x"y', {})
    const script = 'trap "" XFSZ; ulimit -f 0; printf "{}" | ao-hook codex Stop'
    const run = inside.bash(script)
    expect([run.status, run.stdout.toString(), run.stderr.toString()]).toEqual([0, '', ''])
    rmSync(inside.stateDir, { recursive: true })
    hook('Stop', {})
    expect(existsSync(inside.stateDir)).toBe(false)
  })
})

describe('S1.90 PostToolUse of Claude’s Bash tool', () => {
  let worktree: string

  beforeEach(() => {
    worktree = createRepo(join(inside.temp.home, 'worktree'), inside.temp.env)
    writeFileSync(inside.file, `status=working\nbranch=session/svc-1\nworktree=${worktree}\n`)
  })

  function bashCall(command: string, stdout = '', more: Record<string, unknown> = {}) {
    hook('PostToolUse', {
      cwd: worktree,
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command, description: 'x' },
      tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
      ...more,
    })
    const { pr, status, branch } = inside.pairs()
    return { pr, status, branch }
  }

  const checkout = (...args: string[]) => realGit(worktree, inside.temp.env, 'checkout', '-q', ...args)
  const START = { pr: undefined, status: 'working', branch: 'session/svc-1' }

  it.each([
    'gh pr create --title "x" --body "y"',
    'git push -u origin HEAD && gh pr create --fill',
    `cd /tmp; GH_TOKEN=x /usr/bin/gh pr create --title 'a' --body "$(cat <<'EOF'\nSays "gh pr merge"\nEOF\n)"`,
  ])('notes a pull request: %s', (command) => {
    expect(bashCall(command, `Creating…\n${URL_1}\n`)).toEqual({ ...START, pr: URL_1, status: 'pr_open' })
  })

  it('notes the same as the wrapper, once, and does not set a status back', () => {
    writeFileSync(inside.file, `status=review_pending\npr=${URL_1}\n`)
    const inode = inside.inode()
    expect(bashCall('gh pr create', URL_1).status).toBe('review_pending')
    expect(inside.inode()).toBe(inode)
  })

  it.each(['gh pr merge', 'gh pr merge 123 --squash --delete-branch', `cd repo && gh pr merge ${URL_1}`])(
    'notes a merge: %s',
    (command) => {
      writeFileSync(inside.file, `status=approved\npr=${URL_1}\nbranch=session/svc-1\n`)
      expect(bashCall(command).status).toBe('merged')
    },
  )

  it.each([
    ['git checkout -b topic', ['-b', 'topic'], 'topic'],
    ['cd . && git switch -c "feat/x"', ['-b', 'feat/x'], 'feat/x'],
    ['git -C . checkout feat/y', ['-b', 'feat/y'], 'feat/y'],
    ['git fetch; git switch fix-login', ['-b', 'fix-login'], 'fix-login'],
  ])('notes a branch: %s', (command, args, branch) => {
    checkout(...args)
    expect(bashCall(command)).toEqual({ ...START, branch })
  })

  it.each([
    ['git checkout main', ['main']],
    ['git checkout -- README.md', ['-b', 'feat/x']],
    ['git status', ['-b', 'feat/x']],
    ['echo git checkout feat/x', ['main']],
    ['git checkout -b feat/x # but it did not happen', ['main']],
  ])('S1.80 S1.81 notes nothing: %s', (command, args) => {
    checkout(...args)
    expect(bashCall(command)).toEqual(START)
  })

  it.each([
    ['gh pr list', URL_1],
    ['echo "gh pr create"', URL_1],
    ['gh pr create --fill', 'no URL'],
    ['gh pr merge --auto', ''],
    ['gh pr merge 5 || true', ''],
    ['gh pr merge 5; echo done', ''],
    ['gh pr create --body "\ngh pr merge 5\n"', 'failed'],
  ])('notes nothing: %s', (command, stdout) => {
    expect(bashCall(command, stdout)).toEqual(START)
  })

  it('notes nothing for another tool, an interrupted command, or without a session', () => {
    bashCall('gh pr create', URL_1, { tool_name: 'Read' })
    bashCall('gh pr create', '', { tool_response: { stdout: URL_1, interrupted: true } })
    hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'gh pr merge' } })
    hook('PostToolUse', { tool_name: 'Bash', tool_input: { command: 'gh pr merge' } }, { AO_SESSION: '' })
    expect(inside.pairs()).toMatchObject({ status: 'working' })
    expect(readdirSync(inside.stateDir)).toEqual(['hooks.jsonl'])
  })
})
