// The newest pull requests of a forge elsewhere: listed once, then read as the loop reads them.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Pull, PullRef } from '../../contract/pull.ts'
import type { Scm } from '../../slots/scm.ts'

/** One that could not be read is an error: a list must never be taken for more than it is. */
export async function readListed(
  read: NonNullable<Scm['readPullRequests']>,
  listed: readonly PullRef[],
  project: ProjectConfig,
): Promise<Pull[]> {
  const readings = await read(
    listed.map((pr) => ({ sessionId: pr.url, branch: null, pr })),
    project,
  )
  return listed.flatMap(({ url }) => {
    const reading = readings.get(url)
    if (reading?.kind === 'read') return [reading.snapshot]
    if (reading?.kind === 'none') return []
    throw new AoError('SCM_FAILED', `${url} could not be read: ${reading?.why ?? 'it was not read'}`)
  })
}

/** For forges whose comments are on one line: which ones are meant stays readable. */
export function onLastLine({
  startLine,
  line,
  body,
}: {
  startLine?: number | undefined
  line: number
  body: string
}): string {
  return startLine === undefined || startLine === line ? body : `Lines ${startLine} to ${line}:\n\n${body}`
}
