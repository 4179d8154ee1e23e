// What agents are asked to do with their work when the forge plugin does not say.
import type { HandIn } from '../../contract/forges.ts'

/** A forge from a third-party plugin without instructions of its own. */
export const ANY_FORGE: HandIn = {
  complete: 'push the branch and open a pull request',
  update: 'commit and push',
  request: 'pull request',
}

/** Without a forge the branch is all there is. */
const NO_FORGE: HandIn = {
  complete: 'see that everything is committed; there is nothing to push and no pull request to open',
  update: 'commit',
  request: 'pull request',
}

export function handInOf(scm: { handIn?: HandIn | undefined } | null): HandIn {
  return scm === null ? NO_FORGE : (scm.handIn ?? ANY_FORGE)
}
