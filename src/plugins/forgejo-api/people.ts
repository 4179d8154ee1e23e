// Who wrote something on Forgejo: a bot or a person, and whether they belong to the repository. Answers are cached for a
// while.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Author } from '../../contract/pull.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { apiPathOf, type ForgejoClient } from './forgejo-client.ts'

export interface ForgejoUser {
  id: number
  login: string
}

export type AuthorOf = (user: ForgejoUser | null) => Promise<Author>

const KEEP_MS = 10 * 60_000
const MAX_KEPT = 1_000
/** Those who may push. */
const WRITERS: ReadonlySet<string> = new Set(['owner', 'admin', 'write'])
/** The name of its own Actions user. */
const BOTS: ReadonlySet<string> = new Set(['forgejo-actions', 'gitea-actions'])

export function createAuthors(client: ForgejoClient, { loop = false }: { loop?: boolean } = {}) {
  const kept = new Map<string, { at: number; isMember: boolean }>()
  return (project: ProjectConfig): AuthorOf =>
    async (user) => {
      if (user === null || user.id <= 0) return { login: user?.login ?? 'ghost', isBot: isBot(user), isMember: false }
      const key = `${project.repo} ${user.login}`
      let cached = kept.get(key)
      if (cached === undefined || Date.now() - cached.at > KEEP_MS) {
        cached = { at: Date.now(), isMember: await mayPush(client, apiPathOf(project), user.login, loop) }
        kept.set(key, cached)
        if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
      }
      return { login: user.login, isBot: cached.isMember && isBot(user), isMember: cached.isMember }
    }
}

async function mayPush(client: ForgejoClient, path: string, login: string, loop: boolean): Promise<boolean> {
  const person = `${path}/collaborators/${encodeURIComponent(login)}`
  try {
    const { data } = await client.call<{ permission: string }>(`${person}/permission`, { loop })
    return WRITERS.has(data.permission)
  } catch (error) {
    if (hasStatus(error, 404)) return false
    // Only administrators may query that; anyone may query whether somebody is a collaborator at all.
    if (!hasStatus(error, 403)) throw error
  }
  try {
    await client.call(person, { loop })
    return true
  } catch (error) {
    if (hasStatus(error, 404)) return false
    throw error
  }
}

function isBot(user: ForgejoUser | null): boolean {
  return user !== null && (BOTS.has(user.login) || user.login.endsWith('[bot]'))
}
