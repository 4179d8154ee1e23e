// Runs pending CI: every open pull request's head, and for a failure the commit it started from. One commit at a time per
// project, across all processes. Pending checks are read from the records, so nothing is lost by a crash or a restart.
import { randomUUID } from 'node:crypto'
import { mergeBase } from '../git/merge-memory.ts'
import { resolveRef } from '../git/repository.ts'
import { type CiCommand, commandsSince } from '../landing/checks/check-store.ts'
import { type CiDirectory, ciDirectory, withCheckout } from '../landing/checks/ci-directory.ts'
import { runCommands } from '../landing/checks/run-commands.ts'
import { runInPlace } from '../landing/checks/run-in-place.ts'
import { holdUnreviewed } from '../landing/checks/run-rule.ts'
import { mayRepeat } from '../landing/checks/second-run.ts'
import { withFreeLock } from '../lib/lock.ts'
import type { SessionPlace } from '../slots/far-checkout.ts'
import { requireTrust } from './create-forge.ts'
import { settleMerge } from './merge/settle-merge.ts'
import { verifyView } from './merge/verify-view.ts'
import { observePulls } from './pulls/observe-pulls.ts'
import type { LocalPull } from './pulls/pull-events.ts'
import type { ObservedPull } from './pulls/pull-view.ts'
import type { LocalForge } from './types.ts'

export interface AdvanceOptions {
  signal?: AbortSignal | undefined
  /** Only this one. */
  pullNumber?: number | undefined
  onProgress?: ((line: string) => void) | undefined
}

/** `busy`: another process is running it, so pending checks get done, but not by us. */
export async function advanceCi(forge: LocalForge, options: AdvanceOptions = {}): Promise<'done' | 'busy'> {
  let views = await observeOpen(forge)
  if (await catchUp(forge, views)) views = await observeOpen(forge)
  if (forge.options.ci.length === 0) return 'done'
  const ci = ciDirectory(forge.projectDir)
  const failures = new Map<string, unknown>()
  /** Anything that could not run in its place: the next call tries again. */
  const held = new Set<string>()
  for (;;) {
    if (options.signal?.aborted) return 'done'
    const wanted = views.filter(({ pr }) => options.pullNumber === undefined || pr.number === options.pullNumber)
    const due = await findDue(forge, wanted, { has: (commit) => failures.has(commit) || held.has(commit) })
    if (due === null) break
    requireTrust(forge)
    try {
      const done = await withFreeLock(ci.lock, () => runCommit(forge, ci, due, options))
      if (done === null) return 'busy'
      if (isHeld(forge, due)) held.add(due.commit)
    } catch (error) {
      // A commit that cannot be checked out must not block the others.
      failures.set(due.commit, error)
    }
    views = await observeOpen(forge)
  }
  forge.checks.sweep(new Set(views.map(({ headSha }) => headSha)))
  for (const error of failures.values()) throw error
  return 'done'
}

function observeOpen(forge: LocalForge): Promise<ObservedPull[]> {
  return observePulls(
    forge,
    forge.pulls.list().filter(({ state }) => state === 'open'),
  )
}

/** Records merges that were not recorded, and heads that have moved since. true: something was written. */
async function catchUp(forge: LocalForge, views: readonly ObservedPull[]): Promise<boolean> {
  let isChanged = false
  for (const { stored: pull, headSha, state } of views) {
    const isMoved = state === 'open' && headSha !== pull.headSha
    if (state === 'open' && pull.merging === null && !isMoved) continue
    isChanged = true
    await forge.pulls.change(pull.number, async (now, append) => {
      const settled = await settleMerge(forge, now, append)
      if (settled.state === 'open' && isMoved && settled.headSha !== headSha)
        append(now.author, { type: 'pushed', headSha })
    })
  }
  return isChanged
}

interface Due {
  commit: string
  /** Where its change starts; the same commit: it changes nothing. */
  from: string
  /** null: the commit that work started from, which cannot move. */
  pull: LocalPull | null
  view: ObservedPull | null
  /** The session whose place its gates run in; null: a person's. */
  session: string | null
}

/** Nothing is left to run but what cannot run now. */
function isHeld({ options, checks }: LocalForge, { commit, from }: Due): boolean {
  const open = commandsSince(options.ci, from).filter((command) => checks.read(commit, command) === null)
  return open.length > 0 && open.every((command) => checks.heldBecause(commit, command) !== null)
}

async function findDue(
  forge: LocalForge,
  views: readonly ObservedPull[],
  done: Pick<ReadonlySet<string>, 'has'>,
): Promise<Due | null> {
  const open = views.filter(({ state }) => state === 'open')
  const isPending = ({ checks }: ObservedPull) => checks.some(({ status }) => status === 'pending')
  const head = open.find((view) => !done.has(view.headSha) && isPending(view))
  if (head) {
    const { headSha: commit, from, stored: pull } = head
    return { commit, from: from ?? commit, pull, view: head, session: pull.session }
  }
  // Also of one whose head was run: a rule that waits for a reviewer must not hide that its tests fail.
  for (const view of open) {
    const commit = await startToCheck(forge, view)
    if (commit !== null && !done.has(commit))
      return { commit, from: commit, pull: null, view: null, session: view.stored.session }
  }
  return null
}

/** The commit a failing pull request started from, when its checks are still unknown. */
async function startToCheck(forge: LocalForge, view: ObservedPull): Promise<string | null> {
  const isFailed = view.checks.some(({ status }) => status === 'failed')
  if (!isFailed || view.ci !== 'pending' || view.baseSha === null) return null
  const commit = await mergeBase(forge.memory, forge.repository(), { head: view.headSha, base: view.baseSha })
  if (commit === null) return null
  return commandsSince(forge.options.ci, commit).some((command) => forge.checks.read(commit, command) === null)
    ? commit
    : null
}

/** All commands of this machine in one checkout, in order: a later one may need what an earlier one built. */
async function runCommit(forge: LocalForge, directory: CiDirectory, due: Due, options: AdvanceOptions): Promise<void> {
  const marker = `ci-${randomUUID()}`
  const { commit, from } = due
  const ci = commandsSince(forge.options.ci, from)
  // Another process may have run it while we waited for our turn.
  const areRecorded = (list: readonly CiCommand[]) =>
    list.every((command) => forge.checks.read(commit, command) !== null)
  if (areRecorded(ci)) return
  const watch = watchHead(forge, due, options.signal)
  try {
    const what = due.pull ? `pull request ${due.pull.number}` : 'the commit it started from'
    const onCommand = ({ name }: CiCommand) => options.onProgress?.(`${name} on ${commit.slice(0, 10)} of ${what}`)
    const { checks: store, projectDir } = forge
    const isHead = due.pull !== null
    const repeat = isHead && { mayRepeat: mayRepeat({ store, key: commit, commands: ci, projectDir, from }) }
    const run = { store, key: commit, signal: watch.signal, onCommand, ...repeat }
    const session = await placeOf(forge, due)
    const onHeld = ({ name }: CiCommand, why: string) => options.onProgress?.(`${name} cannot run now: ${why}`)
    const ask = { session, sessionId: due.session ?? '', commands: ci, commit, onHeld }
    const here = await runInPlace(forge, { ...run, ...ask })
    const commands = holdUnreviewed(here, { store, key: commit, from, head: commit, projectDir })
    if (areRecorded(commands)) return
    // Results of an interrupted run are removed first: the next run starts from the beginning.
    for (const command of commands) forge.checks.remove(commit, command)
    const change = { from, to: commit }
    if (due.view) await verifyView(forge, due.view)
    await withCheckout(directory, forge.repository(), { commit, marker }, () =>
      runCommands(forge, { ...run, commands, change, in: { directory: directory.worktree, marker } }),
    )
  } finally {
    watch.end()
  }
}

async function placeOf({ context, project }: LocalForge, { session }: Due): Promise<SessionPlace> {
  return (session !== null && (await context.sessionPlace?.(project.id, session))) || { kind: 'home' }
}

const WATCH_MS = 300

/** Aborted when the commit is no longer the head of any open pull request. */
function watchHead(forge: LocalForge, due: Due, outer: AbortSignal | undefined): { signal: AbortSignal; end(): void } {
  const moved = new AbortController()
  const timer = setInterval(() => {
    if (due.pull === null) return
    void isStillHead(forge, due.pull, due.commit).then((still) => {
      if (!still) moved.abort()
    })
  }, WATCH_MS)
  return {
    signal: outer ? AbortSignal.any([outer, moved.signal]) : moved.signal,
    end: () => clearInterval(timer),
  }
}

/** From files alone. When they are unreadable the run continues: it is checked again in a moment. */
async function isStillHead(forge: LocalForge, pull: LocalPull, commit: string): Promise<boolean> {
  try {
    if (forge.pulls.read(pull.number)?.state !== 'open') return false
    const head = await resolveRef(forge.repository(), `refs/heads/${pull.head}`)
    return head === null || head === commit
  } catch {
    return true
  }
}
