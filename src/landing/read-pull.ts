// One pull request as its forge has it now, on whichever forge, and what the forge can do with it.
import type { ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import type { Pull, PullRef } from '../contract/pull.ts'
import type { Scm } from '../slots/scm.ts'

/** A pull request on its forge. */
export interface PullTarget {
  scm: Scm
  project: ProjectConfig
  pr: PullRef
}

export async function readPull({ scm, project, pr }: PullTarget): Promise<Pull> {
  const read = requireAbility({ scm, pr }, 'readPullRequests')
  const reading = (await read([{ sessionId: 'one', branch: null, pr }], project)).get('one')
  if (reading?.kind === 'read') return reading.snapshot
  if (reading?.kind === 'none') throw new AoError('PR_NOT_FOUND', `The forge has no pull request ${pr.url}`)
  throw new AoError('SCM_FAILED', `${pr.url} could not be read: ${reading?.why ?? 'it was not read'}`)
}

/** Throws when the forge cannot do this. */
export function requireAbility<K extends keyof Scm>(
  { scm, pr }: { scm: Scm | null; pr?: PullRef | undefined },
  ability: K,
): NonNullable<Scm[K]> {
  const method = scm?.[ability]
  if (typeof method === 'function') return method.bind(scm) as NonNullable<Scm[K]>
  if (method !== undefined && method !== null) return method as NonNullable<Scm[K]>
  throw new AoError('SCM_FAILED', `The forge ${scm?.name ?? '(none)'} cannot do this from here`, {
    hint: pr && `Do it on its own page: ${pr.url}`,
  })
}
