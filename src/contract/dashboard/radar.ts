// What the radar sees of a project: its live branches, which of them meet and where, and whether what is ready fits
// together. One shape for `ao radar --json`, the API and the page.
import * as z from 'zod/mini'

/** Lines of the file the branch started from: first and last, both included. */
const lineRange = z.tuple([z.int(), z.int()])
export type LineRange = z.infer<typeof lineRange>

const change = z.enum(['added', 'modified', 'deleted'])
export type FileChange = z.infer<typeof change>

/** One side of a meeting in one file. */
const side = z.object({ change: z.nullable(change), lines: z.array(lineRange) })

const meetingFile = z.object({
  path: z.string(),
  /** git cannot merge the two changes of this file. */
  conflict: z.boolean(),
  /** It cannot, and the train solves that by a rule. */
  solved: z.boolean(),
  a: side,
  b: side,
  /** What each side wrote where git cannot decide. Bounded; untrusted text. */
  hunks: z.array(z.object({ a: z.string(), b: z.string() })),
})
export type MeetingFile = z.infer<typeof meetingFile>

const meeting = z.object({
  a: z.string(),
  b: z.string(),
  /** `unknown`: they change the same files, and the merge has not been tried. `solved`: the train solves all conflicts by rules. */
  kind: z.enum(['conflict', 'solved', 'clean', 'unknown']),
  files: z.array(meetingFile),
  /** Files beyond those listed. */
  more: z.int(),
  /** Changes when the collision does, and not when a branch grows elsewhere. */
  fingerprint: z.string(),
})
export type Meeting = z.infer<typeof meeting>

const branch = z.object({
  /** The session's id; `#3` for a pull request without a session. */
  id: z.string(),
  sessionId: z.nullable(z.string()),
  branch: z.string(),
  title: z.string(),
  /** Number of its pull request. */
  pull: z.nullable(z.int()),
  ready: z.boolean(),
  /** Its commit, or the snapshot of its uncommitted work on top of it. */
  head: z.string(),
  commits: z.int(),
  files: z.int(),
  /** The first of them. */
  paths: z.array(z.string()),
  /** Files with uncommitted changes that the snapshot holds. */
  uncommitted: z.int(),
  /** Files in which it conflicts with the base branch. */
  conflictsWithBase: z.array(z.string()),
  /** Why it, or part of it, could not be observed. */
  problem: z.nullable(z.string()),
})
export type RadarBranch = z.infer<typeof branch>

const ready = z.object({
  /** Those that merge cleanly onto the base branch one after the other, in this order. */
  merged: z.array(z.string()),
  left: z.array(z.object({ id: z.string(), files: z.array(z.string()) })),
  /** The tree of all of them together; null: nothing is ready, or not all of it was tried. */
  tree: z.nullable(z.string()),
})
export type ReadyMerge = z.infer<typeof ready>

/** Two branches that git merges, and whose checks fail together although each passes alone. */
export const redPair = z.object({
  a: z.string(),
  b: z.string(),
  heads: z.tuple([z.string(), z.string()]),
  /** Both on top of the base branch. */
  commit: z.string(),
  check: z.string(),
  /** The first test that failed; null: the log does not say. Untrusted text, as is the log's end. */
  test: z.nullable(z.string()),
  log: z.string(),
})
export type RedPair = z.infer<typeof redPair>

export const radarPicture = z.object({
  projectId: z.string(),
  base: z.object({ branch: z.string(), commit: z.nullable(z.string()) }),
  branches: z.array(branch),
  meetings: z.array(meeting),
  red: z.array(redPair),
  ready,
  /** Pairs whose merge is still to be tried; the next picture has more of them. */
  pending: z.int(),
  /** What limits this picture, such as a git that cannot merge without a checkout. */
  note: z.nullable(z.string()),
})
export type RadarPicture = z.infer<typeof radarPicture>

export const radarAnswer = z.object({
  projects: z.array(radarPicture),
  problems: z.array(z.object({ projectId: z.string(), message: z.string() })),
})
export type RadarAnswer = z.infer<typeof radarAnswer>
