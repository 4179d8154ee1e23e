// `-o human|json|jsonl`, the same for all commands.
import { AoError } from '../../contract/errors.ts'
import type { Io } from '../io.ts'

export type OutputFormat = 'human' | 'json' | 'jsonl'

export const OUTPUT_OPTIONS = {
  output: { short: 'o', value: 'format', about: 'human, json or jsonl', completes: ['human', 'json', 'jsonl'] },
  json: { about: 'The same as -o json' },
} as const

export function outputFormat(options: { output: string | undefined; json: boolean }): OutputFormat {
  const format = options.output ?? (options.json ? 'json' : 'human')
  if (format === 'human' || format === 'json' || format === 'jsonl') return format
  throw new AoError('USAGE', `There is no output format ${format}`, { hint: 'Choose human, json or jsonl' })
}

/** One object: jsonl is then one line. */
export function printOne(io: Io, format: OutputFormat, value: object, human: () => readonly string[]): void {
  if (format === 'human') io.printLines(human())
  else if (format === 'json') io.json(value)
  else io.print(JSON.stringify(value))
}
