// Who wrote something on GitLab: a bot or a person, and whether they belong to the project. Answers are cached for a while.
import type { Author } from '../../contract/pull.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { GitlabClient } from './gitlab-client.ts'
import { DEVELOPER } from './project-path.ts'

export interface GitlabUser {
  id: number
  username: string
  bot?: boolean
}

export type AuthorOf = (user: GitlabUser | null) => Promise<Author>

const KEEP_MS = 10 * 60_000
const MAX_KEPT = 1_000
export function createAuthors(client: GitlabClient, { loop = false }: { loop?: boolean } = {}) {
  const kept = new Map<string, { at: number; isMember: boolean }>()
  return (apiPath: string): AuthorOf =>
    async (user) => {
      if (user === null) return { login: 'ghost', isBot: false, isMember: false }
      const key = `${apiPath} ${user.id}`
      let cached = kept.get(key)
      if (cached === undefined || Date.now() - cached.at > KEEP_MS) {
        cached = { at: Date.now(), isMember: await isDeveloper(client, `${apiPath}/members/all/${user.id}`, loop) }
        kept.set(key, cached)
        if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
      }
      return { login: user.username, isBot: cached.isMember && isBot(user), isMember: cached.isMember }
    }
}

async function isDeveloper(client: GitlabClient, path: string, loop: boolean): Promise<boolean> {
  try {
    const { data } = await client.call<{ access_level: number; state?: string }>(path, { loop })
    return data.access_level >= DEVELOPER
  } catch (error) {
    if (hasStatus(error, 404)) return false
    throw error
  }
}

/** GitLab names the bots of tokens `project_1_bot_…`. Anyone can choose such a name, so it counts for members only. */
function isBot({ username, bot }: GitlabUser): boolean {
  return bot === true || /^(?:project|group)_[0-9]+_bot/.test(username)
}
