import { describe, expect, it } from 'vitest'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import { parseArguments } from './parse-arguments.ts'

const command = defineCommand({
  name: 'send',
  about: 'Send',
  args: { session: { about: 'Session id', required: true }, message: { about: 'Text', variadic: true } },
  options: {
    project: { short: 'p', value: 'id', about: 'Project' },
    'dry-run': { about: 'Only say' },
    all: { short: 'a', about: 'All' },
    json: { short: 'j', about: 'JSON' },
  },
  run: async () => 0,
})

const DASH_HINT = 'See: ao send --help. Words that start with a dash go after --'

function parse(...argv: string[]) {
  return parseArguments(command, argv)
}

function refuse(...argv: string[]): AoError {
  try {
    parse(...argv)
  } catch (error) {
    if (error instanceof AoError) return error
    throw error
  }
  throw new Error(`accepted: ${argv.join(' ')}`)
}

describe('parseArguments', () => {
  it.each([
    [['app-1'], { session: 'app-1', message: [] }],
    [['app-1', 'a', 'b'], { session: 'app-1', message: ['a', 'b'] }],
    [['--', '--all', '-x'], { session: '--all', message: ['-x'] }],
    [['app-1', '-'], { session: 'app-1', message: ['-'] }],
    [['app-1', '- a list\n- of two'], { session: 'app-1', message: ['- a list\n- of two'] }],
    [['app-1', '-p lease do'], { session: 'app-1', message: ['-p lease do'] }],
    [['app-1', '--- a/file'], { session: 'app-1', message: ['--- a/file'] }],
    [['app-1', ''], { session: 'app-1', message: [''] }],
  ])('takes the arguments of %j', (argv, args) => {
    expect(parse(...argv).args).toEqual(args)
  })

  it.each([
    [['x'], { project: undefined, 'dry-run': false, all: false, json: false }],
    [['x', '--project', 'app', '--dry-run'], { project: 'app', 'dry-run': true, all: false, json: false }],
    [['-p', 'app', 'x', '-aj'], { project: 'app', 'dry-run': false, all: true, json: true }],
    [['-ap', 'app', 'x'], { project: 'app', 'dry-run': false, all: true, json: false }],
    [['-apapp', 'x'], { project: 'app', 'dry-run': false, all: true, json: false }],
    [['-p', '- odd', 'x'], { project: '- odd', 'dry-run': false, all: false, json: false }],
    [['-papp', 'x'], { project: 'app', 'dry-run': false, all: false, json: false }],
    [['--project=-odd', 'x'], { project: '-odd', 'dry-run': false, all: false, json: false }],
    [['--project', '', 'x'], { project: '', 'dry-run': false, all: false, json: false }],
  ])('takes the options of %j', (argv, options) => {
    expect(parse(...argv).options).toEqual(options)
  })

  it.each([
    [[], 'The argument <session> is missing: Session id', 'See: ao send --help'],
    [['x', '--dryrun'], 'Unknown option: --dryrun', 'Did you mean --dry-run?'],
    [['x', '--nothing-like-it'], 'Unknown option: --nothing-like-it', DASH_HINT],
    [['x', '-z'], 'Unknown option: -z', DASH_HINT],
    [['x', '--project'], 'The option --project needs a value: <id>', 'See: ao send --help'],
    [
      ['x', '--project', '--all'],
      'The option --project needs a value, but --all follows',
      'A value that starts with a dash is written --project=--all',
    ],
    [['x', '-p'], 'The option --project needs a value: <id>', 'See: ao send --help'],
    [['x', '--all=yes'], 'The option --all takes no value', 'See: ao send --help'],
  ])('refuses %j', (argv, message, hint) => {
    expect(refuse(...argv)).toMatchObject({ code: 'USAGE', message, hint })
  })

  it('refuses more words than there are arguments', () => {
    const one = defineCommand({
      name: 'one',
      about: 'One',
      args: { session: { about: 'Session id' } },
      run: async () => 0,
    })
    expect(() => parseArguments(one, ['a', 'b'])).toThrow('Unexpected argument: b')
  })

  it('knows no option by the name of something every object has', () => {
    expect(refuse('x', '--constructor')).toMatchObject({ message: 'Unknown option: --constructor' })
  })
})
