// `--jq <expression>` on every command that prints JSON, without the program jq; and `AO_OUTPUT=json`, for agents and CI that
// want JSON from every command. JSON is never guessed: without either, output is text, also without a terminal.
import { AoError } from '../../contract/errors.ts'
import type { Command, OptionSpecs } from '../command.ts'
import type { Io } from './io.ts'

const JQ_OPTION = {
  value: 'expression',
  about: 'Print only what this jq expression selects of the JSON',
} as const

/** The options of a command as people see them. */
export function withJq(options: OptionSpecs): OptionSpecs {
  return 'json' in options && !('jq' in options) ? { ...options, jq: JQ_OPTION } : options
}

export interface JsonChoice {
  /** The same command line, with --json where it is meant. */
  argv: readonly string[]
  /** null: all of it. */
  jq: string | null
}

export function chooseJson(command: Command, argv: readonly string[], env: NodeJS.ProcessEnv): JsonChoice {
  if (!('json' in command.options) || 'jq' in command.options) return { argv, jq: null }
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const at = argv.findIndex((word, index) => index < end && (word === '--jq' || word.startsWith('--jq=')))
  if (at === -1) return { argv: env.AO_OUTPUT === 'json' ? ['--json', ...argv] : argv, jq: null }
  const isInline = argv[at] !== '--jq'
  const jq = isInline ? argv[at]!.slice('--jq='.length) : argv[at + 1]
  if (jq === undefined || jq === '') {
    throw new AoError('USAGE', 'The option --jq needs a value: <expression>', {
      hint: `For example: ${command.program ?? 'ao'} ${command.name} --jq .`,
    })
  }
  return { argv: ['--json', ...argv.slice(0, at), ...argv.slice(at + (isInline ? 1 : 2))], jq }
}

export interface SelectingIo {
  io: Io
  /** Resolves when everything was printed; throws what jq said. */
  done(): Promise<void>
}

/** Everything that the command prints as JSON goes through jq, a stream line by line. */
export function selectJson(io: Io, expression: string): SelectingIo {
  let printing: Promise<void> = Promise.resolve()
  let problem: string | null = null
  let rest = ''
  const take = (value: unknown) => {
    printing = printing.then(async () => {
      const { runJq } = await import('./jq.ts')
      const found = await runJq(value, expression, { pretty: io.isTerminal, env: io.env })
      io.write(found.text)
      problem ??= found.problem
    })
  }
  const write = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines.filter(Boolean)) take(JSON.parse(line))
  }
  const selecting = Object.create(io, {
    json: { value: take },
    write: { value: write },
    print: { value: (line = '') => write(`${line}\n`) },
    printLines: { value: (lines: readonly string[]) => write(`${lines.join('\n')}\n`) },
  }) as Io
  return {
    io: selecting,
    async done() {
      await printing
      if (problem !== null) throw new AoError('USAGE', problem, { hint: 'The whole answer is printed with: --json' })
    },
  }
}
