// On forges whose agents cannot open a pull request themselves, ao opens one when the agent has pushed its branch. The
// forge refuses a second one for the same branch, so nothing needs to be remembered: after a crash it is found.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { tryGit } from '../../git/git.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { resolveRef } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import { projectOfSession } from '../../manager/context.ts'
import type { PrQuery, PrReading, Scm } from '../../slots/scm.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export interface Unopened {
  loop: LoopContext
  project: ProjectConfig
  scm: Scm
  sessions: Session[]
  queries: PrQuery[]
}

/** Updates `readings` of those that have a pull request now, or could not get one. */
export async function openRequests(unopened: Unopened, readings: Map<string, PrReading>): Promise<void> {
  const { loop, scm, sessions, queries } = unopened
  for (const query of queries) {
    const session = sessions.find(({ id }) => id === query.sessionId.split(' ')[0])
    if (session === undefined || query.pr !== null || readings.get(query.sessionId)?.kind !== 'none') continue
    try {
      const project = projectOfSession(unopened.project, recordOf(session))
      const title = await titleOfPushed(loop, project, query)
      if (title === null) continue
      const body = session.issueId === null ? '' : bodyFor(session, project)
      const opened = await scm.openPR?.({ branch: query.branch!, title, body }, project)
      if (!opened) continue
      loop.say(`${session.id}: opened ${opened.url}`)
      const again = await scm.readPullRequests?.([{ ...query, pr: opened }], project)
      readings.set(query.sessionId, again?.get(query.sessionId) ?? { kind: 'none' })
    } catch (error) {
      readings.set(query.sessionId, { kind: 'unknown', why: `no pull request could be opened: ${errorText(error)}` })
    }
  }
}

/** null: the branch was not pushed, or has nothing that the base branch lacks. */
async function titleOfPushed(loop: LoopContext, project: ProjectConfig, { branch }: PrQuery): Promise<string | null> {
  if (branch === null || !isSafeBranch(branch) || branch === project.defaultBranch) return null
  const { env } = loop.context
  const commonDir = commonGitDir(project.path)
  const remote = commonDir === null ? null : await readProjectRemote(project.path, env)
  if (commonDir === null || remote === null) return null
  const pushed = `refs/remotes/${remote.name}/${branch}`
  if ((await resolveRef({ commonDir, env }, pushed)) === null) return null
  const range = [`refs/remotes/${remote.name}/${project.defaultBranch}..${pushed}`, '--']
  const log = await tryGit(project.path, ['log', '--max-count=1', '--format=%s', ...range], { env, read: true })
  const subject = log.ok ? log.stdout.trim().slice(0, 200) : ''
  return subject === '' ? null : subject
}

/** The forge links and closes the issue if it is its own. */
function bodyFor(session: Session, project: ProjectConfig): string {
  const issue = session.issueId ?? ''
  const title = recordOf(session).issueTitle
  const named = title === undefined ? issue : `${issue}: ${title}`
  const isOwn = /^#?[1-9][0-9]*$/.test(issue) && JSON.stringify(project.tracker) === JSON.stringify(project.scm)
  return isOwn ? `Closes #${issue.replace('#', '')}` : `For ${named}`
}
