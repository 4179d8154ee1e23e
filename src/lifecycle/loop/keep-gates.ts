// Gates beside the rounds: heads of pull requests on other forges are checked, and sessions whose change
// touches its own checks are marked. Nothing is started for a head that is known.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { otherPulls, recordedPrFacts } from '../../core/status/recorded-facts.ts'
import { locateGit } from '../../git/git-dir.ts'
import { hasCommit, openRepository, type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import type { ProjectGates } from '../../landing/checks/project-gates.ts'
import { readChangeSize } from '../../landing/checks/read-change-size.ts'
import { readChangedChecks } from '../../landing/checks/read-changed-checks.ts'
import { fetchTip, startOfChange } from '../../landing/hosted/remote-branches.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { storedSessions } from '../../manager/active.ts'
import { scmOf } from '../../manager/context.ts'
import { gatesOf } from '../../manager/observe/gates.ts'
import { sessionPlace } from '../../manager/place/session-place.ts'
import type { LoopContext } from './loop-context.ts'

/** Returns the sessions about which something new is known. */
export async function keepGates(loop: LoopContext, project: ProjectConfig, signal: AbortSignal): Promise<string[]> {
  const due = storedSessions(loop.context, project.id).flatMap((session) =>
    openPulls(recordOf(session), project).map((pull) => ({ session, ...pull })),
  )
  if (due.length === 0) return []
  const scm = await scmOf(loop.context, project)
  const gates = gatesOf(loop.context, project, scm)
  const repository = openRepository(project.path, loop.context.env)
  const tips = new Map<string, Promise<string | null>>()
  const tipOf = (base: string) => {
    const tip = tips.get(base) ?? readTip(repository, project, { base, isShared: scm?.sharesRepository === true })
    tips.set(base, tip)
    return tip
  }
  const changed = new Set<string>()
  const failures: unknown[] = []
  for (const { session, head, base } of due) {
    if (signal.aborted) break
    try {
      if (await keepOne({ loop, project, session, head, base, repository, tipOf, gates, signal }))
        changed.add(session.id)
    } catch (error) {
      // The others have their turn all the same.
      failures.push(error)
    }
  }
  for (const error of failures) throw error
  return [...changed]
}

/** Each of its pull requests that is open. */
function openPulls(
  record: SessionRecord,
  { defaultBranch }: ProjectConfig,
): Array<Pick<GateQuestion, 'head' | 'base'>> {
  if (record.operation !== undefined) return []
  const own = record.prState === 'open' ? [{ head: record.prHead, base: recordedPrFacts(record)?.base }] : []
  const open = [...own, ...otherPulls(record).filter(({ state }) => state === 'open')]
  return open.flatMap(({ head, base = defaultBranch }) => (head === undefined ? [] : [{ head, base }]))
}

interface GateQuestion {
  loop: LoopContext
  project: ProjectConfig
  session: Session
  head: string
  /** The branch that it is for. */
  base: string
  repository: Repository
  /** Asked of the forge's repository, so only where something is to be judged. */
  tipOf(base: string): Promise<string | null>
  gates: ProjectGates | null
  signal: AbortSignal
}

/** true: something new is known about it. */
async function keepOne(question: GateQuestion): Promise<boolean> {
  const { loop, project, session, head, base, repository, tipOf, gates, signal } = question
  const { prHead, changedChecks } = recordOf(session)
  // The mark is about the one that the card shows.
  const isMarked =
    prHead !== head ||
    (changedChecks?.head === head && (changedChecks.base ?? base) === base && changedChecks.size !== undefined)
  const checks = (await gates?.read({ head, base })) ?? []
  const isOpen = checks.some(({ status }) => status === 'pending')
  if (isMarked && !isOpen) return false
  if (isMissing(loop, head)) return false
  const from = await tipOf(base)
    .then((tip) => startOf(repository, session, { head, base: tip }))
    .catch((error: unknown) => {
      noteMissing(loop, head)
      throw error
    })
  if (!from) {
    noteMissing(loop, head)
    if (isOpen) loop.say(`${session.id}: the gates wait, because ${head.slice(0, 10)} is not on this machine`)
    return false
  }
  const tip = isMarked ? null : await tipOf(base)
  const isNew = !isMarked && (await mark(loop, project, session, { repository, from, head, base, tip }))
  if (!isOpen || !gates) return isNew
  if (checks.every(({ status, note }) => status !== 'pending' || note === undefined))
    loop.say(`${session.id}: the gates run on ${head.slice(0, 10)}`)
  const watch = watchPull(loop, { project, session, head, base }, signal)
  try {
    const of = { sessionId: session.id, session: await sessionPlace(loop.context, project.id, session.id) }
    const onHeld = (check: string, why: string) => loop.say(`${session.id}: ${check} cannot run now: ${why}`)
    return (await gates.run({ head, base, from, signal: watch.signal, of, onHeld })) === 'done' || isNew
  } finally {
    watch.end()
  }
}

const WATCH_MS = 1_000

/** Aborted when the pull request has another head or base, or is closed: nobody is waiting for the result. */
function watchPull(
  { context }: LoopContext,
  { project, session, head, base }: Pick<GateQuestion, 'project' | 'session' | 'head' | 'base'>,
  outer: AbortSignal,
): { signal: AbortSignal; end(): void } {
  const moved = new AbortController()
  const timer = setInterval(() => {
    const record = context.store(project.id).read(session.id)?.record
    // Anything that cannot be read now changes nothing.
    const isOpen = !record || openPulls(record, project).some((one) => one.head === head && one.base === base)
    if (!isOpen) moved.abort()
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

/**
 * A forge that shares the repository has its base branch here, and notices when it is moved by hand. Any other's is asked
 * of the remote: an agent could write its own head into every ref of ours, and would have changed nothing.
 */
async function readTip(
  repository: Repository,
  project: ProjectConfig,
  { base, isShared }: { base: string; isShared: boolean },
): Promise<string | null> {
  if (isShared) return resolveRef(repository, `refs/heads/${base}`)
  const remote = await readProjectRemote(project.path, repository.env)
  if (remote !== null) return fetchTip({ repository, name: remote.name }, base)
  throw new AoError(
    'SCM_FAILED',
    `${project.path} has no remote, so the changes of a pull request cannot be determined`,
    {
      hint: `Add the repository of the forge: git -C '${project.path}' remote add origin <url>`,
    },
  )
}

/** null: the commit is not on this machine. */
async function startOf(
  repository: Repository,
  { workspacePath }: Session,
  { head, base }: { head: string; base: string | null },
): Promise<string | null> {
  if (base === null) return null
  if (!(await hasCommit(repository, head))) {
    // A clone keeps its commits to itself.
    const clone = workspacePath === null ? null : locateGit(workspacePath)?.commonDir
    if (!clone || clone === repository.commonDir) return null
    await tryGitOn(repository, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', clone, 'HEAD'])
    if (!(await hasCommit(repository, head))) return null
  }
  return startOfChange(repository, { base, head })
}

interface MarkedChange {
  repository: Repository
  from: string
  head: string
  base: string
  /** Of the base branch; null: unknown. */
  tip: string | null
}

async function mark(
  loop: LoopContext,
  project: ProjectConfig,
  session: Session,
  { repository, from, head, base, tip }: MarkedChange,
): Promise<boolean> {
  const range = { repository, from, to: head }
  const paths = await readChangedChecks(project, range)
  const size = await readChangeSize(project, range, tip)
  let isNew = false
  await ignoreFailure('it ended meanwhile, and its mark with it', loop.context.log, async () => {
    await loop.context
      .store(project.id)
      .update(session.id, { changedChecks: { head, base, paths: paths.slice(0, MOST), size } })
    isNew = true
  })
  return isNew
}

const MOST = 50
