// Which pull request is meant, on whichever forge: a number, `#n`, its URL, or its branch.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Pull, PullRef } from '../../contract/pull.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { readPull, requireAbility } from '../../landing/read-pull.ts'
import type { Scm } from '../../slots/scm.ts'

interface Source {
  scm: Scm
  project: ProjectConfig
}

export async function findPull(source: Source, reference: string): Promise<Pull> {
  return readPull({ ...source, pr: await findRef(source, reference) })
}

export async function findRef({ scm, project }: Source, reference: string): Promise<PullRef> {
  try {
    return await requireAbility({ scm }, 'resolvePR')(reference, project)
  } catch (error) {
    const isBranch = isSafeBranch(reference) && !/^[#!]?[0-9]+$|:\/\//.test(reference)
    if (!(error instanceof AoError && error.code === 'USAGE' && isBranch)) throw error
    const query = { sessionId: 'one', branch: reference, pr: null }
    const reading = (await scm.readPullRequests?.([query], project))?.get('one')
    if (reading?.kind === 'read') return reading.snapshot.pr
    if (reading?.kind === 'unknown') throw new AoError('SCM_FAILED', reading.why)
    throw new AoError('PR_NOT_FOUND', `There is no open pull request of the branch ${reference}`)
  }
}
