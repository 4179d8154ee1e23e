// The text of an issue or comment: given, from a file, or from stdin.
import { AoError } from '../../../contract/errors.ts'
import { readText } from '../../arguments/read-text.ts'
import type { Io } from '../../print/io.ts'

export const BODY_OPTIONS = {
  body: { short: 'b', value: 'text', about: 'The text' },
  'body-file': { short: 'F', value: 'file', about: 'Take the text from a file; - is stdin', completes: 'file' },
} as const

interface BodyValues {
  body: string | undefined
  'body-file': string | undefined
}

export async function bodyOf(options: BodyValues, io: Io): Promise<string | undefined> {
  if (options['body-file'] === undefined) return options.body
  if (options.body !== undefined) throw new AoError('USAGE', 'Either --body or --body-file, not both')
  return readText(options['body-file'], io)
}

/** `a,b` and repeated options. */
export function listOf(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
