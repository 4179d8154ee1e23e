// The versions of everything that ao and agh keep on a disk. One rule for all of it: what names none is of version 1, and a file of a
// later version begins with it. A newer file is read as far as it can be, and shown; nothing writes over it, moves it or removes it.
import { AoError } from './errors.ts'

/** The newest of each that this program reads and writes. */
export const FORMATS = {
  /** `sessions/{id}` and `sessions/archive/{id}_{time}`: the key `version`. */
  record: 1,
  /** Every other file of JSON, lines of JSON or front matter: its first key, `version`. */
  json: 1,
  /** `events.db` of agh: SQLite's `user_version`; 0 is version 1. */
  eventLog: 1,
  /** `meta.json` of agh and its tasks: `schema`, as in `agh.session.v1`. */
  session: 1,
  /** `verified.json` of `ao doctor --verify`: the key `version` of its second line. */
  seals: 1,
  /** `cassettes/{day}.jsonl`: `v` of each line that begins a recording. */
  cassette: 1,
  /** An exported session: `version` of its manifest. */
  export: 1,
  /** A note in `refs/notes/ao/proof`: `version`. */
  proof: 1,
} as const

/** How much of a file says its version. */
export const HEAD_BYTES = 256

/** The beginning of a file that names its version: a record, JSON or lines of it, front matter, a task or session of agh, a cassette. */
export const VERSION_MARK =
  /^\s*(?:version=|---\r?\nversion: *|\{\s*"version":\s*|\{\s*"schema":\s*"agh\.[a-z_]{1,40}\.v|\{"k":"start","v":)([1-9]\d{0,8})\b/

/** The version that the beginning of a file names. */
export function versionIn(head: string): number {
  return Number(VERSION_MARK.exec(head)?.[1] ?? 1)
}

/** A newer program wrote this record of a session. */
export function isNewerRecord({ version = 1 }: { version?: number | undefined }): boolean {
  return version > FORMATS.record
}

/** A refusal to write, move or remove. `what` is the file, or names what is in it. */
export function newerFormat(what: string, version: number, own: number): AoError {
  return new AoError(
    'FORMAT_NEWER',
    `${what} is of version ${version}, which a newer program wrote; this one knows version ${own} and leaves it as it is`,
    { details: { version, own } },
  )
}

/** What is said of it where it is shown. */
export function newerBy(version: number, program: 'ao' | 'agh'): string {
  return `it is of version ${version}, which a newer ${program} wrote, and this one does not change it`
}
