// A Markdown file that begins with settings between two `---` lines: AGENT.md, HEARTBEAT.md.
import type * as z from 'zod/mini'
import { AoError, errorText } from '../../contract/errors.ts'
import { readIfReachable } from '../../lib/plain-file.ts'
import { explainProblems } from './explain-problems.ts'

export interface Document<T> {
  settings: T
  body: string
}

/** null: there is no such file. */
export async function readDocument<S extends z.ZodMiniType>(
  file: string,
  schema: S,
): Promise<Document<z.infer<S>> | null> {
  const text = readIfReachable(file)
  if (text === null) return null
  try {
    const match = /^---\r?\n(?:([\s\S]*?)\r?\n)?---\s*?(?:\r?\n|$)([\s\S]*)/.exec(text)
    if (!match) throw new Error('it must begin with front matter between two lines ---')
    const { parseYaml } = await import('../../config/validate-config.ts')
    const value = parseYaml(file, match[1] ?? '').value ?? {}
    const checked = schema.safeParse(value)
    if (!checked.success) throw new Error(await explainProblems(schema, value))
    return { settings: checked.data as z.infer<S>, body: match[2]!.trim() }
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `${file} is wrong: ${errorText(error)}`, {
      hint: 'Correct the file',
      cause: error,
    })
  }
}
