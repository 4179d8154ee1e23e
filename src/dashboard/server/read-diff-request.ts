// Which part of a diff the page asks for, from the address; what is malformed is refused.
import { AoError } from '../../contract/errors.ts'
import type { DiffRequest } from '../../git/diff/diff-request.ts'

export const DIFF_QUERY = {
  commit: 'Only this commit',
  since: 'From this commit to the head',
  path: 'Only this file',
  oldPath: 'Its name before it was renamed',
  context: 'Unchanged lines around each change: 3 by default',
}

export const IMAGE_QUERY = {
  commit: DIFF_QUERY.commit,
  since: DIFF_QUERY.since,
  path: 'The file, by its name on that side',
  side: 'old or new',
  at: 'Anything: another value is another picture to a browser',
}

export function readImageRequest(query: URLSearchParams): DiffRequest & { side: 'old' | 'new'; path: string } {
  const { commit, since, uncommitted, files } = readDiffRequest(query)
  const side = query.get('side')
  const path = files?.[0]
  if (path === undefined || (side !== 'old' && side !== 'new')) {
    throw new AoError('USAGE', 'A picture is named by path, and side: old or new')
  }
  return { commit, since, uncommitted, side, path }
}

const SHA = /^[0-9a-f]{40,64}$/
/** More than any file that is shown. */
const MOST_CONTEXT = 1_000_000
const LONGEST_PATH = 4_096

export function readDiffRequest(query: URLSearchParams): DiffRequest {
  const files = [query.get('path'), query.get('oldPath')].filter((path) => path !== null && path !== '') as string[]
  if (files.some((path) => path.length > LONGEST_PATH || path.includes('\0')))
    throw new AoError('USAGE', 'That is not the path of a file')
  return {
    commit: readSha(query, 'commit'),
    since: readSha(query, 'since'),
    uncommitted: query.get('uncommitted') === '1',
    files: [...new Set(files)],
    context: readContext(query.get('context')),
  }
}

function readSha(query: URLSearchParams, name: string): string | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  if (SHA.test(given)) return given
  throw new AoError('USAGE', `${name} is not the id of a commit`)
}

function readContext(given: string | null): number | undefined {
  if (given === null) return undefined
  const lines = Number(given)
  if (Number.isInteger(lines) && lines >= 0 && lines <= MOST_CONTEXT) return lines
  throw new AoError('USAGE', `context is a number of lines, not ${given.slice(0, 20)}`)
}
