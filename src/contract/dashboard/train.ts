// The train of a project as the page and the API show it.
import * as z from 'zod/mini'

const text = z.nullable(z.string())

const rider = z.object({
  pull: z.int(),
  headSha: z.string(),
  /** `ao`, or who put it aboard. */
  by: z.string(),
  at: z.string(),
  title: z.string(),
  session: text,
  /** Its number among the cars that are tested now; null: it waits. */
  place: z.nullable(z.int()),
  state: z.enum(['waiting', 'testing', 'green', 'red']),
  /** The car's commit. */
  commit: text,
  /** Why it is not asked to rebase yet. */
  why: text,
  /** When it has probably landed, in words, and in how many milliseconds; null: unknown. */
  eta: z.object({ text: z.string(), inMs: z.nullable(z.number()) }),
  /** A check failed with it once; its second run decides. */
  suspect: text,
  /** Tests, CI configuration and files of gates that it changes. */
  changedChecks: z.array(z.string()),
  /** Files whose conflict was solved as it had been solved before. */
  reused: z.array(z.string()),
  /** What the rules for conflicts did, a line for each file. */
  resolved: z.array(z.string()),
})
export type TrainRider = z.infer<typeof rider>

const left = z.object({
  pull: z.int(),
  title: z.string(),
  why: z.enum(['red', 'conflict', 'removed', 'moved', 'unready', 'gone', 'refused', 'stranded']),
  at: z.string(),
  /** The check that failed. */
  check: text,
  commit: text,
  /** With what it failed: what came ahead of it since it boarded. */
  ahead: z.array(z.int()),
  /** Files in which it conflicts with the base branch, or with cars ahead of it. */
  files: z.array(z.string()),
  /** The cars that it conflicts with, or that it is built on although they will not land. */
  cars: z.array(z.int()),
  /** Pull requests whose lines are in the conflict, as far as anybody could tell. */
  partners: z.array(z.int()),
  /** Why the forge does not merge it, or why the rules for conflicts did not help. */
  said: text,
})
export type TrainDeparture = z.infer<typeof left>

const train = z.object({
  projectId: z.string(),
  branch: z.string(),
  paused: z.nullable(z.object({ by: z.string(), at: z.string() })),
  /** Why nothing lands now: a pause or a freeze window. `until` null: until a person says so. */
  halt: z.nullable(z.object({ kind: z.enum(['paused', 'frozen']), why: z.string(), until: text })),
  /** What the train did since then, in milliseconds by cause. */
  idle: z.object({ since: z.string(), spent: z.record(z.string(), z.number()) }),
  /** The base branch itself fails a check. */
  stopped: z.nullable(z.object({ base: z.string(), check: z.string(), at: z.string() })),
  /** What the last ride could not get past; null: nothing. */
  obstacle: text,
  riders: z.array(rider),
  /** Not aboard, in conflict, and not asked to rebase yet. */
  waiting: z.array(z.object({ pull: z.int(), title: z.string(), why: z.string() })),
  /** The last ones, newest first. */
  left: z.array(left),
  landed: z.array(
    z.object({
      ...{ pull: z.int(), title: z.string(), commit: z.string(), at: z.string(), untested: text },
      /** Checks that passed only on their second run. */
      flaky: z.array(z.string()),
    }),
  ),
  /** Merged past it by a person. */
  past: z.array(z.object({ pull: z.int(), title: z.string(), by: z.string(), commit: z.string(), at: z.string() })),
  /** How the base branch moved without a merge of ao: nothing of it was tested or approved here. */
  moved: z.array(
    z.object({ from: z.string(), to: z.string(), at: z.string(), isOnRemote: z.boolean(), pulls: z.array(z.int()) }),
  ),
  /** Checks that failed once and passed on the second run. */
  flaky: z.int(),
})
export type TrainView = z.infer<typeof train>

/** GET /api/train */
export const trainAnswer = z.object({
  trains: z.array(train),
  problems: z.array(z.object({ projectId: z.string(), message: z.string() })),
})
export type TrainAnswer = z.infer<typeof trainAnswer>

/** GET /api/projects/:project/train/landed/:commit */
export const proofAnswer = z.object({
  commit: z.string(),
  subject: z.string(),
  findings: z.array(z.object({ what: z.string(), proven: z.boolean(), why: z.string() })),
  /** Whose work it is, by the proof; null: a person's, or there is no proof. */
  session: text,
  changedChecks: z.array(z.string()),
})
export type ProofAnswer = z.infer<typeof proofAnswer>

/** GET /api/projects/:project/in-hands */
export const inHandsAnswer = z.object({ warnings: z.array(z.string()) })
