// The picture itself: what is unknown yet is asked, everything else comes from memory.
import type { Meeting, RadarBranch, RadarPicture, ReadyMerge } from '../../contract/dashboard/radar.ts'
import { buildMeeting, openConflicts, sortMeetings } from '../../core/radar/build-meetings.ts'
import { type Candidate, findCandidates, type TouchedFiles } from '../../core/radar/find-candidates.ts'
import { gitVersion } from '../../git/git.ts'
import type { Repository } from '../../git/repository.ts'
import { followHeads, guessPairs, learnFollowed } from './follow-heads.ts'
import type { CommitPair } from './merge-pairs.ts'
import { mergeReady } from './merge-ready.ts'
import type { RadarGit } from './radar-git.ts'
import type { Memory, RadarOptions, Seen } from './radar-memory.ts'
import { type Fork, findForks, readLines, readTouched } from './read-forks.ts'

const MOST_PATHS = 2_000
const MOST_SHOWN = 50

export interface Drawing {
  options: RadarOptions
  memory: Memory
  git: RadarGit
  base: string | null
  seen: Seen[]
  deadline: number
}

const NOTHING_READY: ReadyMerge = { merged: [], left: [], tree: null }

export async function drawPicture(drawing: Drawing): Promise<RadarPicture> {
  const { options, memory, git, base, seen } = drawing
  const { projectId, baseBranch } = options
  const picture = { projectId, base: { branch: baseBranch, commit: base } }
  const nothing = { branches: [], meetings: [], red: [], ready: NOTHING_READY, pending: 0 }
  if (base === null) return { ...picture, ...nothing, note: `there is no branch ${baseBranch} to compare with` }
  memory.version ??= readVersion(git.repository)
  const { ok: canMerge, version } = await memory.version
  const followed = followHeads(drawing, base)
  await Promise.all([
    canMerge ? memory.pairs.learn(git, guessPairs(memory.lastPairs, followed), drawing.deadline) : 0,
    learnFollowed(git, memory, base, followed),
  ])
  await learnForks(drawing, base)
  const observed = seen.map((one) => describeBranch(drawing, base, one))
  const whole = observed.filter(({ files }) => files !== null) as Observed[]
  const apart = new Map(seen.map(({ branch }) => [branch.id, branch.apart ?? []]))
  const candidates = findCandidates(whole.map(({ shown, files }) => ({ id: shown.id, files }))).filter(
    ({ a, b }) => !apart.get(a)!.includes(b) && !apart.get(b)!.includes(a),
  )
  const byId = new Map(whole.map((one) => [one.shown.id, one]))
  const pairs = candidates.map(({ a, b }): CommitPair => [byId.get(a)!.shown.head, byId.get(b)!.shown.head])
  const withBase = whole.filter(({ from }) => from !== base).map(({ shown }): CommitPair => [base, shown.head])
  const [pending] = await Promise.all([
    canMerge ? memory.pairs.learn(git, [...withBase, ...pairs], drawing.deadline) : 0,
    learnLines(drawing, byId, candidates),
  ])
  for (const { shown } of whole) shown.conflictsWithBase = openConflicts(memory.pairs.get([base, shown.head]))
  memory.lastPairs = pairs
  const pairings = candidates.map((candidate, index): Pairing => {
    return { candidate, a: byId.get(candidate.a)!, b: byId.get(candidate.b)!, pair: pairs[index]! }
  })
  const meetings = meetingsOf(memory, pairings, { base, isWhole: pending === 0 })
  const ready = seen.flatMap((one) => (one.branch.ready ? [{ id: one.branch.id, head: one.head }] : []))
  return {
    ...picture,
    branches: observed.map(({ shown }) => shown),
    meetings: sortMeetings(meetings),
    red: [],
    ready: canMerge
      ? await mergeReady(git, memory.ready, { base, ready, deadline: drawing.deadline, rules: options.rules })
      : NOTHING_READY,
    pending,
    note: canMerge ? null : `git ${version} cannot merge without a checkout (2.38 can): only shared files are shown`,
  }
}

/** The oldest git with `merge-tree --write-tree`. */
const MERGES_SINCE = [2, 38] as const

async function readVersion({ env }: Repository): Promise<{ ok: boolean; version: string }> {
  const { stdout } = await gitVersion(env)
  const version = /(?<![\d.])\d{1,9}(?:\.\d{1,9})+/.exec(stdout)?.[0] ?? 'of an unknown version'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return { ok: major > MERGES_SINCE[0] || (major === MERGES_SINCE[0] && minor >= MERGES_SINCE[1]), version }
}

interface Observed {
  shown: RadarBranch
  from: string
  files: TouchedFiles
}

async function learnForks({ memory, git, seen }: Drawing, base: string): Promise<void> {
  const heads = [...new Set(seen.map(({ snapshot }) => snapshot.commit))]
  const unknown = heads.filter((head) => !memory.forks.has(`${head} ${base}`))
  for (const [head, fork] of await findForks(git, base, unknown)) memory.forks.set(`${head} ${base}`, fork)
  const comparisons = unknown.flatMap((head) => {
    const from = memory.forks.get(`${head} ${base}`)?.from ?? null
    return from === null || memory.touched.has(`${head} ${from}`) ? [] : [{ head, from }]
  })
  const touched = await readTouched(git, comparisons)
  for (const { head, from } of comparisons) memory.touched.set(`${head} ${from}`, touched.get(head) ?? null)
}

function describeBranch(
  { memory }: Drawing,
  base: string,
  { branch, snapshot }: Seen,
): { shown: RadarBranch; from: string | null; files: TouchedFiles | null } {
  const { directory, activeAt, ...facts } = branch
  const fork = memory.forks.get(`${snapshot.commit} ${base}`)
  const from = fork?.from ?? null
  const files = from === null ? null : (memory.touched.get(`${snapshot.commit} ${from}`) ?? null)
  const commits = (fork?.commits ?? 0) - (snapshot.uncommitted > 0 ? 1 : 0)
  const shown: RadarBranch = {
    ...facts,
    head: snapshot.commit,
    commits,
    files: files?.size ?? 0,
    paths: [...(files?.keys() ?? [])].slice(0, MOST_SHOWN),
    uncommitted: snapshot.uncommitted,
    conflictsWithBase: [],
    problem: snapshot.problem ?? problemOf(fork, files),
  }
  return { shown, from, files }
}

function problemOf(fork: Fork | undefined, files: TouchedFiles | null): string | null {
  if (fork === undefined) return 'its commit is not in the repository'
  if (fork.from === null) return 'it has nothing in common with the base branch'
  return files === null ? 'it changes too many files' : null
}

/** Only of files that two branches share, and each only once. */
async function learnLines(
  { memory, git }: Drawing,
  byId: ReadonlyMap<string, Observed>,
  candidates: readonly Candidate[],
): Promise<void> {
  const missing = new Map<Observed, Set<string>>()
  const paths = new Set<string>()
  for (const { a, b, shared } of candidates) {
    for (const one of [byId.get(a)!, byId.get(b)!]) {
      const cached = memory.lines.get(linesKey(one))
      for (const path of shared) {
        if (cached?.has(path) || paths.size >= MOST_PATHS) continue
        missing.set(one, (missing.get(one) ?? new Set()).add(path))
        paths.add(path)
      }
    }
  }
  const comparisons = [...missing.keys()].map(({ shown, from }) => ({ head: shown.head, from }))
  const lines = await readLines(git, comparisons, [...paths])
  for (const [one, wanted] of missing) {
    const cached = memory.lines.get(linesKey(one)) ?? new Map()
    for (const path of wanted) cached.set(path, lines.get(one.shown.head)?.get(path) ?? [])
    memory.lines.set(linesKey(one), cached)
  }
}

interface Pairing {
  candidate: Candidate
  a: Observed
  b: Observed
  pair: CommitPair
}

/** Of two branches that have not moved, nor has their base, nothing is different. */
function meetingsOf(
  memory: Memory,
  pairings: readonly Pairing[],
  { base, isWhole }: { base: string; isWhole: boolean },
): Meeting[] {
  const meetings = memory.meetings
  memory.meetings = new Map()
  return pairings.flatMap(({ candidate, a, b, pair }) => {
    const merge = memory.pairs.get(pair) ?? null
    // Not before it is known what each has with the base branch.
    const isLasting = isWhole && merge !== null
    const key = `${candidate.a} ${a.shown.head} ${a.from} ${candidate.b} ${b.shown.head} ${b.from} ${base}`
    const before = isLasting ? meetings.get(key) : undefined
    const meeting =
      before === undefined ? buildMeeting(candidate, [sideOf(memory, a), sideOf(memory, b)], merge) : before
    if (isLasting) memory.meetings.set(key, meeting)
    return meeting ?? []
  })
}

function linesKey({ shown, from }: Observed): string {
  return `${shown.head} ${from}`
}

function sideOf(memory: Memory, one: Observed): Parameters<typeof buildMeeting>[1][0] {
  const { id, conflictsWithBase } = one.shown
  return { id, files: one.files, conflictsWithBase, lines: memory.lines.get(linesKey(one)) ?? new Map() }
}
