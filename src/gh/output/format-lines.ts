// `--jq` and `--template` by themselves: the first line of stdin is the format, each further one a JSON value. An expression of jq can
// read the environment, so it gets an empty one: whoever wrote it may not be whoever runs it.
import type { Io } from '../../cli/io.ts'
import { GhError } from '../gh-error.ts'
import { printFormatted } from './gh-json.ts'

export async function formatLines(io: Io): Promise<number> {
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk))
  const [first = '', ...lines] = Buffer.concat(chunks).toString('utf8').split('\n')
  const { jq, template } = Object(read(first)) as { jq?: unknown; template?: unknown }
  const format = { jq: textOf(jq), template: textOf(template) }
  for (const line of lines) if (line.trim() !== '') await printFormatted(read(line), format, { ...io, env: {} })
  return 0
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function read(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new GhError('the answer is not JSON, so it cannot be filtered')
  }
}
