// Gates beside the rounds: heads of pull requests on other forges are checked, and sessions whose change
// touches its own checks are marked. Nothing is started for a head that is known.
import type { ProjectConfig } from '../../contract/config.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { locateGit } from '../../git/git-dir.ts'
import { openRepository, type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import type { ProjectGates } from '../../landing/project-gates.ts'
import { readChangedChecks } from '../../landing/read-changed-checks.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { scmOf } from '../../manager/context.ts'
import { storedSessions } from '../../manager/observe/enrich.ts'
import { gatesOf } from '../../manager/observe/gates.ts'
import { sessionPlace } from '../../manager/place/session-place.ts'
import type { LoopContext } from './loop-context.ts'

/** Returns the sessions about which something new is known. */
export async function keepGates(loop: LoopContext, project: ProjectConfig, signal: AbortSignal): Promise<string[]> {
  const due = storedSessions(loop.context, project.id).filter((session) => {
    const { prHead, prState, operation } = recordOf(session)
    return prHead !== undefined && prState === 'open' && operation === undefined
  })
  if (due.length === 0) return []
  const scm = await scmOf(loop.context, project)
  const gates = gatesOf(loop.context, project, scm)
  const repository = openRepository(project.path, loop.context.env)
  const base = await baseOf(repository, project, scm?.sharesRepository === true)
  const changed = new Set<string>()
  const failures: unknown[] = []
  for (const session of due) {
    if (signal.aborted) break
    try {
      if (await keepOne({ loop, project, session, repository, base, gates, signal })) changed.add(session.id)
    } catch (error) {
      // The others have their turn all the same.
      failures.push(error)
    }
  }
  for (const error of failures) throw error
  return [...changed]
}

interface GateQuestion {
  loop: LoopContext
  project: ProjectConfig
  session: Session
  repository: Repository
  base: string | null
  gates: ProjectGates | null
  signal: AbortSignal
}

/** true: something new is known about it. */
async function keepOne({ loop, project, session, repository, base, gates, signal }: GateQuestion): Promise<boolean> {
  const head = recordOf(session).prHead!
  const isMarked = recordOf(session).changedChecks?.head === head
  const checks = (await gates?.read(head)) ?? []
  const isOpen = checks.some(({ status }) => status === 'pending')
  if (isMarked && !isOpen) return false
  if (isMissing(loop, head)) return false
  const from = base && (await startOf(repository, session, { head, base }))
  if (!from) {
    noteMissing(loop, head)
    if (isOpen) loop.say(`${session.id}: the gates wait, because ${head.slice(0, 10)} is not on this machine`)
    return false
  }
  const isNew = !isMarked && (await mark(loop, project, session, { repository, from, head }))
  if (!isOpen || !gates) return isNew
  if (checks.every(({ status, note }) => status !== 'pending' || note === undefined))
    loop.say(`${session.id}: the gates run on ${head.slice(0, 10)}`)
  const watch = watchHead(loop, { project, session, head }, signal)
  try {
    const of = { sessionId: session.id, session: await sessionPlace(loop.context, project.id, session.id) }
    const onHeld = (check: string, why: string) => loop.say(`${session.id}: ${check} cannot run now: ${why}`)
    return (await gates.run({ head, from, signal: watch.signal, of, onHeld })) === 'done' || isNew
  } finally {
    watch.end()
  }
}

const WATCH_MS = 1_000

/** Aborted when the pull request has another head, or is closed: nobody is waiting for the result. */
function watchHead(
  { context }: LoopContext,
  { project, session, head }: { project: ProjectConfig; session: Session; head: string },
  outer: AbortSignal,
): { signal: AbortSignal; end(): void } {
  const moved = new AbortController()
  const timer = setInterval(() => {
    const record = context.store(project.id).read(session.id)?.record
    // Anything that cannot be read now changes nothing.
    if (record && (record.prHead !== head || record.prState !== 'open')) moved.abort()
  }, WATCH_MS)
  return { signal: AbortSignal.any([outer, moved.signal]), end: () => clearInterval(timer) }
}

/** Heads that are not on this machine, and when each is looked for again: at rest nothing is started for them. */
const missing = new WeakMap<LoopContext, Map<string, number>>()
const AGAIN_MS = 5 * 60_000
const MOST_MISSING = 500

function isMissing(loop: LoopContext, head: string): boolean {
  return (missing.get(loop)?.get(head) ?? 0) > loop.context.clock.now().getTime()
}

function noteMissing(loop: LoopContext, head: string): void {
  const counts = missing.get(loop) ?? new Map<string, number>()
  if (counts.size >= MOST_MISSING) counts.clear()
  counts.set(head, loop.context.clock.now().getTime() + AGAIN_MS)
  missing.set(loop, counts)
}

async function baseOf(repository: Repository, project: ProjectConfig, isShared: boolean): Promise<string | null> {
  const own = `refs/heads/${project.defaultBranch}`
  const remote = isShared ? null : await readProjectRemote(project.path, repository.env)
  const fetched = remote && (await resolveRef(repository, `refs/remotes/${remote.name}/${project.defaultBranch}`))
  return fetched ?? (await resolveRef(repository, own))
}

/** null: the commit is not on this machine. */
async function startOf(
  repository: Repository,
  { workspacePath }: Session,
  { head, base }: { head: string; base: string },
): Promise<string | null> {
  const ask = () => tryGitOn(repository, ['merge-base', base, head], { read: true })
  const first = await ask()
  if (first.ok) return first.stdout.trim()
  // A clone keeps its commits to itself.
  const clone = workspacePath === null ? null : locateGit(workspacePath)?.commonDir
  if (!clone || clone === repository.commonDir) return null
  await tryGitOn(repository, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', clone, 'HEAD'])
  const second = await ask()
  return second.ok ? second.stdout.trim() : null
}

async function mark(
  loop: LoopContext,
  project: ProjectConfig,
  session: Session,
  { repository, from, head }: { repository: Repository; from: string; head: string },
): Promise<boolean> {
  const paths = await readChangedChecks(project, { repository, from, to: head })
  let isNew = false
  await ignoreFailure('it ended meanwhile, and its mark with it', loop.context.log, async () => {
    await loop.context.store(project.id).update(session.id, { changedChecks: { head, paths: paths.slice(0, MOST) } })
    isNew = paths.length > 0
  })
  return isNew
}

const MOST = 50
