// The repositories of one server: the first at `/`, every one at `/r/<hash of its configuration>/`. They share a port, a page and
// a sign-in, and nothing else: two of them may have a project of the same name.
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { repositoryBase, splitRepository } from '../../contract/dashboard/page-paths.ts'
import type { Repository } from '../../contract/dashboard/pages.ts'
import { errorText } from '../../contract/errors.ts'
import type { RepositoryKeeper } from './serve-repository.ts'

export interface Addressed {
  /** undefined: no such repository. */
  repository: RepositoryKeeper | undefined
  /** The address within the repository. */
  url: string
}

/** Whose request this is. */
export function addressedRepository(
  repositories: ReadonlyMap<string, RepositoryKeeper>,
  main: string,
  url: string,
): Addressed {
  const { hash, rest } = splitRepository(url)
  if (hash !== null) return { repository: repositories.get(hash), url: rest }
  // The first one may have left; then any other is at `/`.
  return { repository: repositories.get(main) ?? [...repositories.values()][0], url }
}

export async function listRepositories(
  repositories: ReadonlyMap<string, RepositoryKeeper>,
  asking: string,
): Promise<Repository[]> {
  return Promise.all(
    [...repositories.values()].map(async ({ hash, context }) => {
      const { configPath, projects } = context.config
      const counted = existsSync(configPath)
        ? await countSessions(context.board)
        : { sessions: 0, needsYou: 0, problem: `${configPath} is gone` }
      return {
        hash,
        href: repositoryBase(hash),
        name: basename(dirname(configPath)),
        configPath,
        projects: Object.values(projects).map(({ id, name }) => ({ id, name })),
        isThis: hash === asking,
        ...counted,
      }
    }),
  )
}

/** A repository that cannot be read is one line of the list, and hides no other. */
async function countSessions(
  board: RepositoryKeeper['context']['board'],
): Promise<Pick<Repository, 'sessions' | 'needsYou' | 'problem'>> {
  try {
    await board.fresh()
    const { sessions, notices } = board.read()
    const needsYou = sessions.filter(({ column }) => column === 'needs_you').length
    const problem = notices.find(({ level }) => level === 'error')?.text ?? null
    return { sessions: sessions.length + board.older().length, needsYou, problem }
  } catch (error) {
    return { sessions: 0, needsYou: 0, problem: errorText(error) }
  }
}
