import { describe, expect, it } from 'vitest'
import { createFakeIo } from '../../../test/support/fake-io.ts'
import { defineCommand } from '../command.ts'
import { run } from '../run.ts'
import type { Io } from './io.ts'

async function runWith(argv: string[], print: (io: Io, json: boolean) => void, env: NodeJS.ProcessEnv = {}) {
  const fake = createFakeIo({ env })
  const command = defineCommand({
    name: 'ls',
    about: 'List',
    args: { words: { about: 'Words', variadic: true } },
    options: { json: { about: 'JSON' } },
    run: async ({ options }, io) => void print(io, options.json),
  })
  const code = await run([{ name: 'ls', group: 'All', load: async () => command }], ['ls', ...argv], fake.io)
  return { code, stdout: fake.stdout(), stderr: fake.stderr() }
}
const LIST = {
  sessions: [
    { id: 'app-1', status: 'working' },
    { id: 'app-2', status: 'merged' },
  ],
}
const list = (io: Io, json: boolean) => (json ? io.json(LIST) : io.print('text'))

describe('--jq', () => {
  it.each<[string[], string]>([
    [['--jq', '.sessions[].id'], 'app-1\napp-2\n'],
    [['--jq=.sessions | length'], '2\n'],
    [['--json', '--jq', '.sessions[] | select(.status == "merged") | .id'], 'app-2\n'],
  ])('%j prints what it selects', async (argv, stdout) => {
    expect(await runWith(argv, list)).toEqual({ code: 0, stdout, stderr: '' })
  })

  it('selects from each line of a stream', async () => {
    const stream = (io: Io) => {
      io.write('{"seq":1}\n{"se')
      io.write('q":2}\n')
      io.print('{"seq":3}')
    }
    expect((await runWith(['--jq', '.seq'], stream)).stdout).toBe('1\n2\n3\n')
  })

  it.each([
    [['--jq', '.['], 2],
    [['--jq'], 2],
    [['--jq', 'error("no")'], 2],
  ] as Array<[string[], number]>)('%j is refused with the reason', async (argv, code) => {
    const result = await runWith(argv, list)
    expect(result.code).toBe(code)
    expect(result.stdout).toMatch(/"code":"USAGE"|^$/)
  })

  it('is text behind --', async () => {
    expect((await runWith(['--', '--jq', '.x'], list)).stdout).toBe('text\n')
  })
})

it('AO_OUTPUT=json is --json on every command that has it', async () => {
  expect(JSON.parse((await runWith([], list, { AO_OUTPUT: 'json' })).stdout)).toEqual(LIST)
  expect((await runWith([], list, { AO_OUTPUT: 'text' })).stdout).toBe('text\n')
})
