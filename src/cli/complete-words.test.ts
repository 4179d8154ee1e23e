import { describe, expect, it } from 'vitest'
import { defineCommand } from './command.ts'
import { completeArgument, completeCommandName } from './complete-words.ts'

const send = defineCommand({
  name: 'send',
  about: 'Send a message',
  args: {
    session: { about: 'Session id', required: true, completes: 'session' },
    message: { about: '', variadic: true },
  },
  options: {
    project: { short: 'p', value: 'id', about: 'Project', completes: 'project' },
    kind: { value: 'kind', about: 'Kind', completes: ['a', 'b'] },
    json: { about: 'JSON' },
  },
  run: async () => 0,
})
const commands = [
  send,
  { ...send, name: 'session ls', about: 'List' },
  { ...send, name: 'session show', about: 'Show' },
]

describe('completeCommandName', () => {
  it('offers commands, and a group once', () => {
    expect(completeCommandName(commands, []).candidates).toEqual([
      { word: 'send', about: 'Send a message' },
      { word: 'session', about: 'ao session ...' },
    ])
  })

  it('offers the commands of a group', () => {
    expect(completeCommandName(commands, ['session']).candidates.map(({ word }) => word)).toEqual(['ls', 'show'])
  })
})

describe('completeArgument', () => {
  it.each([
    ['the first argument', [], '', { candidates: [], lookUp: 'session' }],
    ['the value of an option', ['--project'], '', { candidates: [], lookUp: 'project' }],
    ['the value of a short option', ['-p'], 'a', { candidates: [], lookUp: 'project' }],
    ['the value behind bash’s equals sign', ['--project', '='], 'a', { candidates: [], lookUp: 'project' }],
    ['an argument behind an option with its value', ['-p', 'app'], '', { candidates: [], lookUp: 'session' }],
    ['nothing where free text is expected', ['app-1', 'hello'], '', { candidates: [], lookUp: null }],
    ['a file for --config', ['--config'], '', { candidates: [], lookUp: 'file' }],
    ['an argument behind --', ['--'], '-', { candidates: [], lookUp: 'session' }],
  ])('completes %s', (_what, before, current, expected) => {
    expect(completeArgument(send, before, current)).toEqual(expected)
  })

  it('offers fixed words', () => {
    expect(completeArgument(send, ['--kind'], '').candidates.map(({ word }) => word)).toEqual(['a', 'b'])
  })

  it('offers options that are not there yet', () => {
    expect(completeArgument(send, ['--json'], '--').candidates.map(({ word }) => word)).toEqual([
      '--project',
      '--kind',
      '--jq',
      '--help',
    ])
  })
})
