import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../cli/ao/commands.ts'
import { parseArguments } from '../cli/parse-arguments.ts'
import { INSIDE_COMMANDS } from '../core/boundary/inside-commands.ts'
import { COMMAND_TOOLS, type CommandTool, commandLine } from './command-tools.ts'
import { toolsFor } from './mcp-server.ts'

const toolNamed = (name: string): CommandTool => COMMAND_TOOLS.find((one) => one.name === name)!

/** Every field of a tool, filled in. */
const INPUTS: Record<string, Record<string, unknown>> = {
  list_sessions: { project: 'app' },
  get_session: { session: 'app-1' },
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
  merge_pull_request: { pr: '1', method: 'rebase', sha: 'abc', project: 'app' },
}

describe('every tool', () => {
  it.each(COMMAND_TOOLS)('$name is a command line that its command takes', async (tool) => {
    const input = INPUTS[tool.name]
    expect(tool.input.safeParse(input)).toMatchObject({ success: true })
    const command = await COMMANDS.find(({ name }) => name === tool.command)!.load()
    const { argv } = commandLine(tool, input)
    expect(() => parseArguments(command, argv.slice(tool.command.split(' ').length))).not.toThrow()
    expect(tool.input.safeParse({ ...input, unknown: 1 }).success).toBe(false)
  })

  it('belongs to a command of the table of rights', () => {
    expect(COMMAND_TOOLS.filter(({ command }) => !(command in INSIDE_COMMANDS.ao))).toEqual([])
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
  const takes = (name: string, input: object) => toolNamed(name).input.safeParse(input).success

  it.each(COMMAND_TOOLS)('a NUL byte: $name refuses it in every field that becomes an argument', (tool) => {
    const input = INPUTS[tool.name]!
    for (const [key, value] of Object.entries(input)) {
      if (typeof value !== 'string') continue
      const changed = { ...input, [key]: `${value}\0` }
      if (commandLine(tool, changed).stdin?.includes('\0')) continue
      expect(tool.input.safeParse(changed).success).toBe(false)
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
  it('nothing that changes others inside a worker session', () => {
    expect(toolsFor('worker')).toEqual([])
  })

  it('an orchestrator what it may do on the command line, a person everything', () => {
    const names = toolsFor('orchestrator').map(({ name }) => name)
    expect(names).toContain('spawn_session')
    expect(names).not.toContain('merge_pull_request')
    expect(names).not.toContain('answer_permission')
    expect(toolsFor(null)).toEqual(COMMAND_TOOLS)
  })
})
