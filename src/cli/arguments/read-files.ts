// The files of `--file` that go along with a message. A person names whatever they can read; the agent of a session only what is in
// its own workspace, and no secrets.
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { ATTACHMENT_LIMITS, type GivenFile, type SentFile } from '../../contract/agh/attachment.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { isSecretPath } from '../../core/message/secret-path.ts'
import { pathInside, realPathOf } from '../../lib/inside-directory.ts'
import { readBytes } from '../../lib/plain-file.ts'
import type { Io } from '../print/io.ts'

export const FILE_OPTION = {
  short: 'f',
  value: 'file',
  about: 'A picture or file that goes along; may be repeated',
  completes: 'file',
  repeatable: true,
} as const

/** `within`: the workspace of the agent that asks; null: a person asks. */
export function readFiles(paths: readonly string[], io: Pick<Io, 'cwd'>, within: string | null): GivenFile[] {
  return paths.map((path) => {
    const real = within === null ? resolve(io.cwd, path) : requireOwn(resolve(io.cwd, path), within)
    if (!existsSync(real))
      throw new AoError('ATTACHMENT_REFUSED', `There is no file ${path}`, {
        hint: 'Check the path; it is relative to where you are',
      })
    try {
      const bytes = readBytes(real, { maxBytes: ATTACHMENT_LIMITS.bytes, noFollow: within !== null })
      return { name: basename(path), bytes }
    } catch (error) {
      throw new AoError('ATTACHMENT_REFUSED', `${path} cannot go along: ${errorText(error)}`, { cause: error })
    }
  })
}

/** An empty workspace contains nothing. */
export function requireOwn(path: string, workspace: string): string {
  const real = workspace === '' ? null : pathInside(workspace, path)
  const below = real?.slice(realPathOf(workspace)?.length)
  if (real !== null && below !== undefined && !isSecretPath(below)) return real
  throw new AoError(
    'ROLE_REFUSED',
    `An agent sends files of its own workspace, and none that hold secrets: not ${path}`,
    {
      hint: 'Copy it into your workspace first, or pipe its text into the command',
      details: { path },
    },
  )
}

export function toSentFiles(files: readonly GivenFile[]): { files?: SentFile[] } {
  if (files.length === 0) return {}
  return { files: files.map(({ name, bytes }) => ({ name, data: Buffer.from(bytes).toString('base64') })) }
}
