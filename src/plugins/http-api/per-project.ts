// A forge plugin serves projects on several servers: each call goes to the instance for the project's own server.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { AccessReport, PrReading, Scm } from '../../slots/scm.ts'
import type { Tracker } from '../../slots/tracker.ts'
import { issuePrompt } from './issue-prompt.ts'

/** What is asked of a server, and which of the arguments the project is. */
const PULLS = {
  ...{ getPRState: 1, resolvePR: 1, checkoutPR: 2, getCheckLog: 2, mergePR: 2, closePR: 1, reopenPR: 1, retargetPR: 2 },
  ...{ listPRs: 1, reviewPR: 2, commentPR: 2, readRange: 1, readChecks: 1 },
} as const
const THREADS = { reply: 2, resolve: 2 } as const
const LANDING = { readRules: 0, readLog: 2, readQueue: 1, openPull: 1 } as const
const ISSUES = {
  ...{ getIssue: 1, isCompleted: 1, issueUrl: 1, branchName: 1, recentComments: 1, blockersOf: 1, listIssues: 1 },
  ...{ createIssue: 1, updateIssue: 2 },
} as const

type Asking = keyof typeof PULLS | 'checkAccess' | 'readPullRequests' | 'landing' | 'threads'
/** One that supports everything a server can do. */
export type HostedScm = Required<Pick<Scm, 'name' | Asking>> & { webUrl: string }
export type HostedTracker = Required<Omit<Tracker, 'generatePrompt' | 'recordsWriter'>>

type At<T> = (project: ProjectConfig) => Promise<T>

export function scmPerProject(at: At<HostedScm>, ofAll: Omit<Scm, Asking | 'webAddress'>): Scm {
  return {
    ...ofAll,
    ...forwarded(PULLS, at),
    threads: forwarded(THREADS, async (project) => (await at(project)).threads),
    landing: forwarded(LANDING, async (project) => (await at(project)).landing),
    webAddress: (project) => at(project).then(({ webUrl }) => addressOf(webUrl, project), unknownHost),
    checkAccess: (project) => accessOf(at, project),
    async readPullRequests(queries, project) {
      try {
        return await (await at(project)).readPullRequests(queries, project)
      } catch (error) {
        const unknown: PrReading = { kind: 'unknown', why: errorText(error).slice(0, 500) }
        return new Map(queries.map(({ sessionId }) => [sessionId, unknown]))
      }
    },
  }
}

export function trackerPerProject(name: string, at: At<HostedTracker>): Tracker {
  return {
    name,
    ...forwarded(ISSUES, at),
    checkAccess: (project) => accessOf(at, project),
    generatePrompt: (issue) => issuePrompt(issue),
  }
}

export function forwarded<T extends object, K extends keyof T & string>(
  table: Readonly<Record<K, number>>,
  at: At<T>,
): Pick<T, K> {
  const acts = Object.entries<number>(table).map(([name, project]) => [
    name,
    async (...args: unknown[]) => {
      const one = (await at(args[project] as ProjectConfig)) as Record<string, (...args: unknown[]) => unknown>
      return one[name]!(...args)
    },
  ])
  return Object.fromEntries(acts) as Pick<T, K>
}

function addressOf(webUrl: string, { repo }: ProjectConfig): string {
  const { host, pathname } = new URL(webUrl)
  const path = `${host}${pathname}`.replace(/\/$/, '')
  return repo === undefined ? path : `${path}/${repo}`
}

/** Git cannot say where the repository is. */
function unknownHost(): null {
  return null
}

/** Its address may itself be unknown, when git cannot say. */
async function accessOf(at: At<HostedScm | HostedTracker>, project: ProjectConfig): Promise<AccessReport> {
  try {
    return await (await at(project)).checkAccess(project)
  } catch (error) {
    return { ok: false, detail: errorText(error) }
  }
}
