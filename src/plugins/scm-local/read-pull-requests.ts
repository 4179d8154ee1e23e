// The pull requests of many sessions at one moment, as the loop needs them. Never throws.
import { errorText } from '../../contract/errors.ts'
import { findOpenByBranch, pullNumber, toPrInfo } from '../../forge/pulls/find-pull.ts'
import { observePulls, type PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import type { Author, PrQuery, PrReading, PrSnapshot } from '../../slots/scm.ts'

export async function readPullRequests(forge: LocalForge, queries: PrQuery[]): Promise<Map<string, PrReading>> {
  try {
    const all = forge.pulls.list()
    const wanted = new Map(queries.map((query) => [query.sessionId, findWanted(forge, all, query)]))
    const pulls = [...new Set([...wanted.values()].filter((pull) => pull !== null))]
    const views = new Map((await observePulls(forge, pulls)).map((view) => [view.pull.number, view]))
    return new Map(queries.map(({ sessionId }) => [sessionId, reading(forge, views, wanted.get(sessionId) ?? null)]))
  } catch (error) {
    const why = errorText(error)
    return new Map(queries.map(({ sessionId }) => [sessionId, { kind: 'unknown', why }]))
  }
}

function findWanted(forge: LocalForge, all: LocalPull[], { branch, pr }: PrQuery): LocalPull | null {
  const number = pr === null ? null : pullNumber(forge, pr.url)
  if (number !== null) return all.find((pull) => pull.number === number) ?? null
  return branch === null ? null : findOpenByBranch(all, branch)
}

function reading(forge: LocalForge, views: Map<number, PullView>, pull: LocalPull | null): PrReading {
  const view = pull && views.get(pull.number)
  return view ? { kind: 'read', snapshot: toSnapshot(forge, view) } : { kind: 'none' }
}

function toSnapshot(forge: LocalForge, view: PullView): PrSnapshot {
  const { pull, state, headSha, ci, checks, review, hasConflicts, mergeable, failingOnBase } = view
  return {
    pr: toPrInfo(pull, forge.project.id),
    state,
    headSha,
    ci,
    checks: checks.map((check) => ({ ...check, url: `${pull.url}/checks/${encodeURIComponent(check.name)}` })),
    review,
    reviews: pull.reviews.map(({ author, isBot, ...rest }) => ({ ...rest, author: toAuthor(author, isBot) })),
    comments: pull.comments.map(({ author, isBot, inReplyTo, ...rest }) => ({
      ...rest,
      author: toAuthor(author, isBot),
      thread: inReplyTo ?? rest.id,
      isReply: inReplyTo !== undefined,
      isAgent: isBot,
      isOwn: author === pull.session,
    })),
    hasConflicts,
    mergeable,
    failingOnBase,
    updatedAt: pull.updatedAt,
  }
}

/** Anyone who can write into this directory owns the machine. */
function toAuthor(login: string, isBot: boolean): Author {
  return { login, isBot, isMember: true }
}
