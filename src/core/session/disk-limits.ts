// What goes when more is kept of archived sessions than was configured. Work is never among it while it may be the only copy, unless
// it is older than a person said.

export interface DiskLimits {
  recordingsMb?: number | undefined
  historiesMb?: number | undefined
  eventLogsMb?: number | undefined
  rescueDays?: number | undefined
  checkpointsMb?: number | undefined
  checkpointDays?: number | undefined
  cassettesMb?: number | undefined
  cassetteDays?: number | undefined
}

const DEFAULT_RECORDINGS_MB = 4096
const DEFAULT_HISTORIES_MB = 1024
const DEFAULT_RESCUE_DAYS = 365
const DEFAULT_CHECKPOINTS_MB = 1024
const DEFAULT_CHECKPOINT_DAYS = 30
const DEFAULT_CASSETTES_MB = 256
const DEFAULT_CASSETTE_DAYS = 30
const MEGABYTE = 1024 ** 2
const DAY_MS = 24 * 60 * 60_000

export function limitsOf({
  recordingsMb = DEFAULT_RECORDINGS_MB,
  historiesMb = DEFAULT_HISTORIES_MB,
  // What an agent said is dropped only for people who asked for that.
  eventLogsMb = Number.POSITIVE_INFINITY,
  rescueDays = DEFAULT_RESCUE_DAYS,
  checkpointsMb = DEFAULT_CHECKPOINTS_MB,
  checkpointDays = DEFAULT_CHECKPOINT_DAYS,
  cassettesMb = DEFAULT_CASSETTES_MB,
  cassetteDays = DEFAULT_CASSETTE_DAYS,
}: DiskLimits) {
  return {
    recordingBytes: recordingsMb * MEGABYTE,
    historyBytes: historiesMb * MEGABYTE,
    eventLogBytes: eventLogsMb * MEGABYTE,
    rescueDays,
    checkpointBytes: checkpointsMb * MEGABYTE,
    checkpointMs: checkpointDays * DAY_MS,
    cassetteBytes: cassettesMb * MEGABYTE,
    cassetteMs: cassetteDays * DAY_MS,
  }
}

export interface KeptData {
  bytes: number
  /** When its session was archived. */
  at: number
}

/** The oldest ones, until the rest fits. */
export function beyondLimit<T extends KeptData>(kept: readonly T[], maxBytes: number): T[] {
  let sum = kept.reduce((bytes, one) => bytes + one.bytes, 0)
  return kept
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, other) => one.at - other.at)
    .filter(({ bytes }) => {
      const isBeyond = sum > maxBytes
      if (isBeyond) sum -= bytes
      return isBeyond
    })
}

export interface KeptRescue {
  savedAt: number
  /** A branch or tag that has it; null: it may be the only copy. */
  elsewhere: string | null
}

/** Why it may go; null: it stays. */
export function whyRescueGoes({ savedAt, elsewhere }: KeptRescue, now: number, days: number): string | null {
  if (elsewhere !== null) return `${elsewhere} has it`
  return now - savedAt > days * DAY_MS ? `it is older than ${days} days` : null
}
