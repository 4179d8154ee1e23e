// The current state of pull requests: their records, the branches, the checks, conflicts. Reads only. However many there
// are, one git process lists all branches; git's other answers are cached by commit.
import type { Check } from '../../contract/pull.ts'
import {
  askTogether,
  type CommitPair,
  hasConflicts,
  isAncestor,
  mergeBase,
  mergeBases,
  remember,
} from '../../git/merge-memory.ts'
import { gitOn, type Repository } from '../../git/repository.ts'
import {
  type CheckRecord,
  type CiCommand,
  checkKey,
  commandsSince,
  describeCheck,
  idOf,
} from '../../landing/checks/check-store.ts'
import type { LocalForge } from '../types.ts'
import type { LocalPull } from './pull-events.ts'
import { ciOf, describePull, type ObservedPull, reviewDecision } from './pull-view.ts'

export async function observePulls(of: LocalForge, pulls: readonly LocalPull[]): Promise<ObservedPull[]> {
  let found: Repository | undefined
  const forge: LocalForge = {
    ...of,
    // It is found once for all of them.
    repository() {
      found ??= of.repository()
      return found
    },
  }
  const isAnyOpen = pulls.some(({ state }) => state === 'open')
  const branches = isAnyOpen ? await listBranches(forge.repository()) : new Map<string, string>()
  if (isAnyOpen) await askTogether(forge.memory, forge.repository(), openPairs(pulls, branches))
  const views: ObservedPull[] = []
  // Some need git once more: a few at a time.
  for (let at = 0; at < pulls.length; at += AT_ONCE) {
    const some = pulls.slice(at, at + AT_ONCE)
    views.push(...(await Promise.all(some.map((pull) => observeOne(forge, pull, branches)))))
  }
  return views
}

const AT_ONCE = 4

function openPairs(pulls: readonly LocalPull[], branches: Map<string, string>): CommitPair[] {
  return pulls.flatMap((pull) => {
    const head = branches.get(pull.head)
    const base = branches.get(pull.base)
    return pull.state === 'open' && head !== undefined && base !== undefined ? [{ head, base }] : []
  })
}

export async function observePull(forge: LocalForge, pull: LocalPull): Promise<ObservedPull> {
  const [view] = await observePulls(forge, [pull])
  return view!
}

/** Every branch and its commit. */
export async function listBranches(repository: Repository): Promise<Map<string, string>> {
  const format = '--format=%(objectname) %(refname:lstrip=2)'
  const listed = await gitOn(repository, ['for-each-ref', format, 'refs/heads'], { read: true })
  return new Map(
    listed
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
  )
}

async function observeOne(forge: LocalForge, pull: LocalPull, branches: Map<string, string>): Promise<ObservedPull> {
  // When its branch is gone, the pull request stays where it was last seen.
  const headSha = pull.state === 'open' ? (branches.get(pull.head) ?? pull.headSha) : pull.headSha
  const baseSha = branches.get(pull.base) ?? null
  const state = await stateOf(forge, pull, { headSha, baseSha })
  const from = await startOf(forge, pull, { headSha, baseSha })
  const checks = checksOf(forge, headSha, from)
  const earlier = await earlierStarts(forge, pull, from)
  const review = reviewDecision(pull, { headSha, from, earlier })
  const base = { state, headSha, baseSha, from, checks, review }
  if (state !== 'open') {
    const over = { mergeBases: null, ci: ciOf(checks), hasConflicts: null, mergeable: null, failingOnBase: [] }
    return describePull(pull, forge.project.id, { ...base, ...over })
  }
  const pair = baseSha === null ? null : { head: headSha, base: baseSha }
  const bases = pair && (await mergeBases(forge.memory, forge.repository(), pair))
  const conflicts = pair && (await openConflicts(forge, pull, pair))
  const { ci, failingOnBase } = await judgeChecks(forge, checks, { headSha, baseSha })
  const mergeable = conflicts === null ? null : !conflicts && !pull.draft
  const now = { ...base, mergeBases: bases, ci, hasConflicts: conflicts, mergeable, failingOnBase }
  return describePull(pull, forge.project.id, now)
}

/** Those that the train solves by itself are none. */
async function openConflicts(forge: LocalForge, { base }: LocalPull, pair: CommitPair): Promise<boolean | null> {
  const { memory, project } = forge
  const found = await hasConflicts(memory, forge.repository(), pair)
  const { mode, resolve = [] } = project.landing ?? {}
  if (found !== true || mode !== 'train' || resolve.length === 0 || base !== project.defaultBranch) return found
  // Few projects have rules for conflicts, and few branches conflict: they are loaded for those.
  const { solvesAll } = await import('../../landing/resolve/find-solved.ts')
  const areSolved = () => solvesAll(forge.repository(), resolve, { ours: pair.base, theirs: pair.head })
  return (await remember(memory.solved, pair, areSolved)) !== true
}

/** The base branch is authoritative about merging: an unrecorded merge, or one made by hand with git, counts. */
async function stateOf(
  forge: LocalForge,
  pull: LocalPull,
  { headSha, baseSha }: { headSha: string; baseSha: string | null },
): Promise<LocalPull['state']> {
  if (pull.state !== 'open' || baseSha === null) return pull.state
  const commits = [...(pull.merging ? [pull.merging.commit] : []), ...(headSha === pull.headSha ? [headSha] : [])]
  for (const head of commits) {
    if (await isAncestor(forge.memory, forge.repository(), { head, base: baseSha })) return 'merged'
  }
  return 'open'
}

/** One that was merged is compared with what the base was before. */
async function startOf(
  { memory, repository }: LocalForge,
  pull: LocalPull,
  { headSha, baseSha }: { headSha: string; baseSha: string | null },
): Promise<string | null> {
  const base = pull.mergeBefore ?? baseSha
  return base === null ? null : ((await mergeBase(memory, repository(), { head: headSha, base })) ?? base)
}

/** Where reviewed changes start, if that is before `from` in its own history. */
export async function earlierStarts(
  { memory, repository }: LocalForge,
  { reviews }: Pick<LocalPull, 'reviews'>,
  from: string | null,
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const start of new Set(reviews.map((review) => review.from))) {
    if (start === undefined || from === null || start === from) continue
    if ((await isAncestor(memory, repository(), { head: start, base: from })) === true) found.add(start)
  }
  return found
}

/** As far as they are known; a check that has not run is pending. `from` null: without rules. */
export function checksOf({ options, checks }: LocalForge, commit: string, from: string | null): Check[] {
  const commands = from === null ? options.ci.filter(({ rule }) => rule === undefined) : commandsSince(options.ci, from)
  return commands.map((command) => {
    const isRule = command.rule === undefined ? undefined : true
    return { id: idOf(commit, command), isRule, ...describeCheck(checks, commit, command) }
  })
}

/** A failure counts when it is known whether the commit it started from fails too; until then it is pending. */
async function judgeChecks(
  forge: LocalForge,
  checks: readonly Check[],
  { headSha, baseSha }: { headSha: string; baseSha: string | null },
): Promise<Pick<ObservedPull, 'ci' | 'failingOnBase'>> {
  const ci = ciOf(checks)
  if (ci !== 'failing' || baseSha === null) return { ci, failingOnBase: [] }
  const started = await mergeBase(forge.memory, forge.repository(), { head: headSha, base: baseSha })
  if (started === null) return { ci, failingOnBase: [] }
  const failed = new Set(checks.filter(({ status }) => status === 'failed').map(({ name }) => name))
  const onBase = checksOf(forge, started, started).filter(({ name }) => failed.has(name))
  // Anything that cannot run there is not waited for.
  if (onBase.some(({ status, note }) => (status === 'pending' && note === undefined) || status === 'running')) {
    return { ci: 'pending', failingOnBase: [] }
  }
  return { ci, failingOnBase: onBase.filter(({ status }) => status === 'failed').map(({ name }) => name) }
}

const END_BYTES = 32 * 1024

/** The end of what it printed; '' for a check that this forge does not know or that printed nothing. */
export function readCheckLog(forge: LocalForge, check: Pick<Check, 'id'>, bytes = END_BYTES): string {
  const found = findCheck(forge, check)
  return found ? forge.checks.readLogEnd(found.commit, found.command, bytes) : ''
}

/** null: it has not run, or this forge does not know it. */
export function readCheckRecord(forge: LocalForge, check: Pick<Check, 'id'>): CheckRecord | null {
  const found = findCheck(forge, check)
  return found && forge.checks.read(found.commit, found.command)
}

/**
 * The checks of its head are due again. One checkout serves all of them in order, so they begin with the first. Returns why that
 * cannot be, and changes nothing then.
 */
export function forgetResults(
  forge: LocalForge,
  { pr, state, checks, headSha, from }: ObservedPull,
  { onlyFailed }: { onlyFailed: boolean },
): string | null {
  if (state !== 'open') return `pull request ${pr.number} is ${state}`
  if (checks.length === 0) return 'this project has no checks'
  if (checks.some(({ status }) => status === 'running' || status === 'pending'))
    return 'its checks are running or about to run'
  if (onlyFailed && checks.every(({ status }) => status !== 'failed')) return 'no job of it has failed'
  for (const command of commandsSince(forge.options.ci, from ?? '')) {
    const record = forge.checks.read(headSha, command)
    if (record?.status === 'failed' && command.rule === undefined) forge.checks.keepFailure(headSha, record)
    else forge.checks.remove(headSha, command)
  }
  return null
}

/** By its id, if it is one of this forge's. */
function findCheck({ options }: LocalForge, { id }: Pick<Check, 'id'>): { commit: string; command: CiCommand } | null {
  const [commit = '', key, from = ''] = id.split('/')
  const command = commandsSince(options.ci, from).find((one) => checkKey(one) === key)
  return command === undefined ? null : { commit, command }
}
