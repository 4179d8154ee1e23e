// A forge plugin serves projects on several servers: each call goes to the instance for the project's own server.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { AccessReport, PrReading, Scm } from '../../slots/scm.ts'
import type { Tracker } from '../../slots/tracker.ts'
import { issuePrompt } from './issue-prompt.ts'

type Asking =
  | 'checkAccess'
  | 'getPRState'
  | 'resolvePR'
  | 'checkoutPR'
  | 'readPullRequests'
  | 'getCheckLog'
  | 'mergePR'
  | 'closePR'
  | 'reopenPR'
  | 'retargetPR'
  | 'listPRs'
  | 'reviewPR'
  | 'commentPR'
  | 'readRange'
  | 'readChecks'
  | 'landing'
  | 'threads'
/** One that supports everything a server can do. */
export type HostedScm = Required<Pick<Scm, 'name' | Asking>> & { webUrl: string }
export type HostedTracker = Required<Omit<Tracker, 'generatePrompt' | 'recordsWriter'>>

export function scmPerProject(
  at: (project: ProjectConfig) => Promise<HostedScm>,
  ofAll: Omit<Scm, Asking | 'webAddress'>,
): Scm {
  return {
    ...ofAll,
    webAddress: (project) => at(project).then(({ webUrl }) => addressOf(webUrl, project), unknownHost),
    checkAccess: (project) => accessOf(at, project),
    getPRState: async (pr, project) => (await at(project)).getPRState(pr, project),
    resolvePR: async (reference, project) => (await at(project)).resolvePR(reference, project),
    checkoutPR: async (pr, path, project) => (await at(project)).checkoutPR(pr, path, project),
    async readPullRequests(queries, project) {
      try {
        return await (await at(project)).readPullRequests(queries, project)
      } catch (error) {
        const unknown: PrReading = { kind: 'unknown', why: errorText(error).slice(0, 500) }
        return new Map(queries.map(({ sessionId }) => [sessionId, unknown]))
      }
    },
    getCheckLog: async (pr, check, project) => (await at(project)).getCheckLog(pr, check, project),
    mergePR: async (pr, expected, project) => (await at(project)).mergePR(pr, expected, project),
    closePR: async (pr, project) => (await at(project)).closePR(pr, project),
    reopenPR: async (pr, project) => (await at(project)).reopenPR(pr, project),
    retargetPR: async (pr, base, project) => (await at(project)).retargetPR(pr, base, project),
    listPRs: async (filter, project) => (await at(project)).listPRs(filter, project),
    reviewPR: async (pr, review, project) => (await at(project)).reviewPR(pr, review, project),
    commentPR: async (pr, comment, project) => (await at(project)).commentPR(pr, comment, project),
    readRange: async (pull, project) => (await at(project)).readRange(pull, project),
    readChecks: async (commit, project) => (await at(project)).readChecks(commit, project),
    threads: {
      reply: async (pr, reply, project) => (await at(project)).threads.reply(pr, reply, project),
      resolve: async (pr, change, project) => (await at(project)).threads.resolve(pr, change, project),
    },
    landing: {
      readRules: async (project, method) => (await at(project)).landing.readRules(project, method),
      readLog: async (commit, check, project) => (await at(project)).landing.readLog(commit, check, project),
      readQueue: async (pr, project, since) => (await at(project)).landing.readQueue(pr, project, since),
      openPull: async (request, project) => (await at(project)).landing.openPull(request, project),
    },
  }
}

export function trackerPerProject(name: string, at: (project: ProjectConfig) => Promise<HostedTracker>): Tracker {
  return {
    name,
    checkAccess: (project) => accessOf(at, project),
    getIssue: async (id, project) => (await at(project)).getIssue(id, project),
    isCompleted: async (id, project) => (await at(project)).isCompleted(id, project),
    issueUrl: async (id, project) => (await at(project)).issueUrl(id, project),
    branchName: async (id, project) => (await at(project)).branchName(id, project),
    generatePrompt: (issue) => issuePrompt(issue),
    recentComments: async (since, project) => (await at(project)).recentComments(since, project),
    blockersOf: async (id, project) => (await at(project)).blockersOf(id, project),
    listIssues: async (filter, project) => (await at(project)).listIssues(filter, project),
    createIssue: async (issue, project) => (await at(project)).createIssue(issue, project),
    updateIssue: async (id, change, project) => (await at(project)).updateIssue(id, change, project),
  }
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
async function accessOf(
  at: (project: ProjectConfig) => Promise<HostedScm | HostedTracker>,
  project: ProjectConfig,
): Promise<AccessReport> {
  try {
    return await (await at(project)).checkAccess(project)
  } catch (error) {
    return { ok: false, detail: errorText(error) }
  }
}
