import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../cli/ao/commands.ts'
import { parseArguments } from '../cli/arguments/parse-arguments.ts'
import { loadTools } from '../cli/command-table.ts'
import type { ToolCommand } from './command-tool.ts'
import { toolsFor } from './mcp-server.ts'
import { commandLine, inputSchema } from './tool-schema.ts'

const TOOLS = (await loadTools(COMMANDS)).map((command) => ({ name: command.tool.name, command }))
const toolNamed = (name: string): ToolCommand => TOOLS.find((one) => one.name === name)!.command

/** Every field of a tool, filled in. */
const INPUTS: Record<string, Record<string, unknown>> = {
  list_sessions: { project: 'app' },
  get_session: { session: 'app-1' },
  show_stack: { project: 'app' },
  compare_sessions: { task: 'app-1' },
  propose_plan: { issue: '12', proposal: '{}', project: 'app' },
  explain_status: { session: 'app-1' },
  spawn_session: { issue: '42', prompt: 'Do it', project: 'app', agent: 'demo', branch: 'work' },
  send_message: { session: 'app-1', message: 'hello' },
  read_transcript: { session: 'app-1', lines: 5 },
  read_diff: { session: 'app-1' },
  answer_permission: { session: 'app-1', decision: 'allow_always', request: 'perm-1' },
  kill_session: { session: 'app-1', purge: true },
  restore_session: { session: 'app-1' },
  list_issues: { project: 'app' },
  create_issue: { title: 'A title', body: 'A body', project: 'app' },
  list_pull_requests: { project: 'app', all: true },
  get_pull_request: { pr: '1', project: 'app' },
  review_pull_request: {
    pr: '1',
    verdict: 'request_changes',
    body: 'Almost',
    comments: [{ path: 'a.ts', line: 3, text: 'x' }],
    project: 'app',
  },
  add_finding: { text: 'Wrong', file: 'a.ts', line: 3, severity: 'major' },
  end_review: { summary: 'All of it' },
  merge_pull_request: { pr: '1', method: 'rebase', sha: 'abc', project: 'app' },
  claim_number: { sequence: 'migration', title: 'add_users', project: 'app' },
}

describe('every tool', () => {
  it.each(TOOLS)('$name is a command line that its command takes', async ({ name, command }) => {
    const input = INPUTS[name]
    expect(inputSchema(command).safeParse(input)).toMatchObject({ success: true })
    const { argv } = commandLine(command, input)
    const loaded = await COMMANDS.find((one) => one.name === command.name)!.load()
    expect(() => parseArguments(loaded, argv.slice(command.name.split(' ').length))).not.toThrow()
    expect(inputSchema(command).safeParse({ ...input, unknown: 1 }).success).toBe(false)
  })

  it.each(TOOLS)('$name names only what its command has', ({ command }) => {
    const own = [...Object.keys(command.args), ...Object.keys(command.options)]
    const named = Object.entries(command.tool.input).flatMap(([name, { choices, stdin, each }]) => {
      if (choices) return Object.values(choices)
      return stdin ?? each?.option ?? name
    })
    expect(named.filter((name) => !own.includes(name))).toEqual([])
  })

  it('is the command line that it was before it was declared with its command', () => {
    const lines = TOOLS.map(({ name, command }) => [name, commandLine(command, INPUTS[name]).argv.join(' ')])
    expect(Object.fromEntries(lines)).toEqual({
      list_sessions: 'status --json --project=app --',
      get_session: 'session show --json -- app-1',
      show_stack: 'stack --json --project=app --',
      compare_sessions: 'compare --json -- app-1',
      propose_plan: 'plan propose --json --file=- --project=app -- 12',
      explain_status: 'why --json -- app-1',
      spawn_session: 'spawn --json --prompt-file=- --project=app --agent=demo --branch=work -- 42',
      send_message: 'send --json --file=- -- app-1',
      read_transcript: 'session transcript --json --lines=5 -- app-1',
      read_diff: 'session diff --json -- app-1',
      answer_permission: 'session approve --json --always -- app-1 perm-1',
      kill_session: 'session kill --json --purge -- app-1',
      restore_session: 'session restore --json -- app-1',
      list_issues: 'issue ls --json --project=app --',
      create_issue: 'issue new --json --body-file=- --project=app -- A title',
      list_pull_requests: 'pr ls --json --project=app --all --',
      get_pull_request: 'pr view --json --project=app -- 1',
      review_pull_request: 'pr review --json --request-changes --body-file=- --line=a.ts:3:x --project=app -- 1',
      add_finding: 'review add --json --file=a.ts --line=3 --severity=major -- Wrong',
      end_review: 'review done --json --summary=All of it --',
      merge_pull_request: 'pr merge --json --rebase --sha=abc --project=app -- 1',
      claim_number: 'claim --json --project=app -- migration add_users',
    })
    expect(commandLine(toolNamed('send_message'), INPUTS.send_message).stdin).toBe('hello')
    expect(commandLine(toolNamed('get_session'), INPUTS.get_session).stdin).toBeUndefined()
  })
})

describe('values', () => {
  it('never become options', () => {
    expect(commandLine(toolNamed('kill_session'), { session: '--purge' }).argv).toEqual([
      'session',
      'kill',
      '--json',
      '--',
      '--purge',
    ])
    expect(commandLine(toolNamed('list_issues'), { project: '--all' }).argv).toEqual([
      'issue',
      'ls',
      '--json',
      '--project=--all',
      '--',
    ])
  })
})

describe('a command line cannot carry', () => {
  const comment = (change: object) => ({
    pr: '1',
    verdict: 'comment',
    comments: [{ path: 'a.ts', line: 1, text: 'x', ...change }],
  })
  const takes = (name: string, input: object) => inputSchema(toolNamed(name)).safeParse(input).success

  it.each(TOOLS)('a NUL byte: $name refuses it in every field that becomes an argument', ({ name, command }) => {
    const input = INPUTS[name]!
    for (const [key, value] of Object.entries(input)) {
      if (typeof value !== 'string') continue
      const changed = { ...input, [key]: `${value}\0` }
      if (commandLine(command, changed).stdin?.includes('\0')) continue
      expect(inputSchema(command).safeParse(changed).success).toBe(false)
    }
  })

  it('a comment that would be read as one on another line, or is too long for one argument', () => {
    expect(takes('review_pull_request', comment({}))).toBe(true)
    expect(takes('review_pull_request', comment({ text: 'first\nsecond:2: ä' }))).toBe(true)
    expect(takes('review_pull_request', comment({ path: 'a:b' }))).toBe(true)
    expect(takes('review_pull_request', comment({ path: 'a.ts:7:b' }))).toBe(false)
    expect(takes('review_pull_request', comment({ path: 'a\nb:7:c' }))).toBe(false)
    expect(takes('review_pull_request', comment({ path: 'a\0' }))).toBe(false)
    expect(takes('review_pull_request', comment({ text: 'a\0' }))).toBe(false)
    expect(takes('review_pull_request', comment({ text: '€'.repeat(40_000) }))).toBe(true)
    expect(Buffer.byteLength('€'.repeat(40_000))).toBeLessThan(128 * 1024 - 2_000)
    expect(takes('review_pull_request', comment({ text: 'x'.repeat(40_001) }))).toBe(false)
  })
})

describe('who gets which tools', () => {
  const commands = TOOLS.map(({ command }) => command)

  it('nothing that changes others inside a worker session', () => {
    expect(toolsFor('worker', commands)).toEqual([])
  })

  it('an orchestrator what it may do on the command line, a person everything', () => {
    const names = toolsFor('orchestrator', commands).map(({ tool }) => tool.name)
    expect(names).toContain('spawn_session')
    expect(names).not.toContain('merge_pull_request')
    expect(names).not.toContain('answer_permission')
    expect(toolsFor(null, commands)).toEqual(commands)
  })
})
