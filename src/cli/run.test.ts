import { describe, expect, it } from 'vitest'
import { createFakeIo } from '../../test/support/fake-io.ts'
import { AoError, ERROR_TABLE, type ErrorCode } from '../contract/errors.ts'
import { type CommandTable, defineCommand } from './command.ts'
import type { Io } from './print/io.ts'
import { run } from './run.ts'

function table(action: (io: Io) => Promise<number | undefined> = async () => 0): CommandTable {
  const command = (name: string) =>
    defineCommand({
      name,
      about: `About ${name}`,
      options: { json: { about: 'JSON' } },
      run: (_input, io) => action(io),
    })
  const names = ['spawn', 'status', 'session ls', 'session show']
  return [
    ...names.map((name) => ({ name, group: 'All', load: async () => command(name) })),
    { name: '__hidden', group: '', hidden: true as const, load: async () => command('__hidden') },
  ]
}

async function runWith(argv: string[], action?: (io: Io) => Promise<number | undefined>, env: NodeJS.ProcessEnv = {}) {
  const fake = createFakeIo({ env })
  const code = await run(table(action), argv, fake.io)
  return { code, stdout: fake.stdout(), stderr: fake.stderr() }
}

const fail = (error: unknown) => async () => {
  throw error
}

describe('run', () => {
  it('runs a command of one word and one of two', async () => {
    const print = async (io: Io) => {
      io.print('ran')
      return undefined
    }
    expect(await runWith(['spawn'], print)).toEqual({ code: 0, stdout: 'ran\n', stderr: '' })
    expect(await runWith(['session', 'ls'], print)).toEqual({ code: 0, stdout: 'ran\n', stderr: '' })
  })

  it('prints what happened and what to do on stderr, and nothing on stdout', async () => {
    const error = new AoError('SESSION_NOT_FOUND', 'There is no session app-9', { hint: 'ao session ls' })
    expect(await runWith(['spawn'], fail(error))).toEqual({
      code: 4,
      stdout: '',
      stderr: 'error: There is no session app-9\nhint: ao session ls\n',
    })
  })

  it('replaces the name of a session by its id before rights are decided, and leaves ids alone', async () => {
    const seen: unknown[] = []
    const show = defineCommand({
      name: 'show',
      about: 'About show',
      args: { session: { about: 'Session', completes: 'session' } },
      run: async ({ args }) => {
        seen.push(args.session)
        return 0
      },
    })
    const requests: string[] = []
    const options = {
      permit: (_command: unknown, args: Readonly<Record<string, unknown>>) => void seen.push(args.session),
      findSession: async (name: string) => {
        requests.push(name)
        return name === 'My name' ? 'app-2' : null
      },
    }
    const commands = [{ name: 'show', group: 'All', load: async () => show }]
    for (const name of ['My name', 'unknown', 'app-1', 'app-orchestrator'])
      await run(commands, ['show', name], createFakeIo().io, options)
    await run(commands, ['show'], createFakeIo().io, options)
    const ids = ['app-2', 'unknown', 'app-1', 'app-orchestrator', undefined]
    expect(seen).toEqual(ids.flatMap((id) => [id, id]))
    expect(requests).toEqual(['My name', 'unknown'])
  })

  it.each([
    [['--json', 'session', 'ls']],
    [['--json', 'session', 'ls', '--']],
    [['--jq', '.ran', 'session', 'ls']],
    [['--jq=.ran', '--json', 'session', 'ls']],
  ])('takes options about the output before the command too: %j', async (argv) => {
    const { code, stdout, stderr } = await runWith(argv, async (io) => {
      io.json({ ran: true })
      return undefined
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('true')
  })

  it('takes nothing else before the command', async () => {
    expect(await runWith(['--jsno', 'status'])).toMatchObject({ code: 2 })
    expect(await runWith(['--', '--json', 'status'])).toMatchObject({ code: 2 })
    expect(await runWith(['--json'])).toMatchObject({ code: 0, stdout: expect.stringContaining('About status') })
  })

  it('prints the one error object on stdout with --json', async () => {
    const error = new AoError('SESSION_NOT_FOUND', 'none', { details: { sessionId: 'x' } })
    const { code, stdout, stderr } = await runWith(['spawn', '--json'], fail(error))
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' })
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(error)))
  })

  it.each(Object.entries(ERROR_TABLE))('ends with the exit code of %s', async (code, { exit }) => {
    expect((await runWith(['spawn'], fail(new AoError(code as ErrorCode, 'x')))).code).toBe(exit)
    expect([1, 2, 3, 4, 5]).toContain(exit)
  })

  it('says in one line that something unexpected happened, and how to see where', async () => {
    const { code, stderr } = await runWith(['spawn'], fail(new TypeError('x is undefined')))
    expect(code).toBe(1)
    expect(stderr).toBe(
      'error: Something went wrong inside ao: x is undefined\nhint: Run it again with AO_LOG_LEVEL=debug to see where\n',
    )
  })

  it('sends somebody who used a command wrongly to the help of that command', async () => {
    const { stderr } = await runWith(['spawn'], fail(new AoError('USAGE', '--times takes a number, not many')))
    expect(stderr).toBe('error: --times takes a number, not many\nhint: See: ao spawn --help\n')
  })

  it('prints the stack at debug level', async () => {
    const { stderr } = await runWith(['spawn'], fail(new TypeError('x')), { AO_LOG_LEVEL: 'debug' })
    expect(stderr).toContain('run.test.ts')
  })

  it.each([
    [['spwan'], 'error: Unknown command: spwan\nhint: Did you mean: ao spawn\n'],
    [['xyzzy'], 'error: Unknown command: xyzzy\nhint: See the options with: ao --help\n'],
    [['session', 'sl'], 'error: Unknown command: session sl\nhint: Did you mean: ao session ls\n'],
    [['session'], 'error: ao session needs one of: ls, show\nhint: See: ao session --help\n'],
    [['spawn', '--jsno'], 'error: Unknown option: --jsno\nhint: Did you mean --json?\n'],
  ])('refuses %j with exit code 2 and a suggestion', async (argv, stderr) => {
    expect(await runWith(argv)).toEqual({ code: 2, stdout: '', stderr })
  })

  it.each([[['--help']], [['-h']], [[]], [['help']]])('shows all commands for %j', async (argv) => {
    const { code, stdout } = await runWith(argv)
    expect(code).toBe(0)
    expect(stdout).toContain('session show  About session show')
    expect(stdout).not.toContain('__hidden')
  })

  it.each([[['session', 'ls', '--help']], [['help', 'session', 'ls']], [['session', 'ls', '-h']]])(
    'explains one command for %j',
    async (argv) => {
      const { code, stdout } = await runWith(argv, fail(new Error('it must not run')))
      expect(code).toBe(0)
      expect(stdout).toContain('Usage: ao session ls [options]')
      expect(stdout).toContain('--json')
    },
  )

  it('shows the commands of a group', async () => {
    const { stdout } = await runWith(['session', '--help'])
    expect(stdout).toContain('session ls')
    expect(stdout).not.toContain('spawn  ')
  })

  it('does what is due at the end also after a failure', async () => {
    let done = false
    await runWith(['spawn'], async (io) => {
      io.atEnd(async () => {
        done = true
      })
      throw new Error('x')
    })
    expect(done).toBe(true)
  })
})
