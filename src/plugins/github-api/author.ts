// Who wrote something on GitHub: a bot or a person, and whether they belong to the repository.
import type { Author } from '../../contract/pull.ts'

export interface Actor {
  __typename: string
  login: string
}

const MEMBERS: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

export function isMemberAssociation(association: string | null | undefined): boolean {
  return association != null && MEMBERS.has(association)
}

/** A deleted account is `ghost`, as GitHub shows it. */
export function toAuthor(actor: Actor | null, association: string): Author {
  const login = actor?.login ?? 'ghost'
  return {
    login,
    isBot: actor?.__typename === 'Bot' || login.endsWith('[bot]'),
    isMember: isMemberAssociation(association),
  }
}
