// The versions of everything that ao and agh keep on a disk. One rule for all of it: what names none is of version 1, and a file of a
// later version begins with it. A newer file is read as far as it can be, and shown; nothing writes over it, moves it or removes it.
import { AoError } from './errors.ts'

interface Format {
  /** The newest that this program reads and writes. */
  version: number
  /** Where it is, and its version in it. */
  where: string
}

export const FORMATS = {
  record: { version: 1, where: '`sessions/{id}` and `sessions/archive/{id}_{time}`: the key `version`' },
  json: { version: 1, where: 'every other file of JSON, lines of JSON or front matter: its first key, `version`' },
  eventLog: { version: 1, where: '`events.db` of agh: SQLite’s `user_version`; 0 is version 1' },
  session: { version: 1, where: '`meta.json` of agh and its tasks: `schema`, as in `agh.session.v1`' },
  seals: { version: 1, where: '`verified.json` of `ao doctor --verify`: the key `version` of its second line' },
  cassette: { version: 1, where: '`cassettes/{day}.jsonl`: `v` of each line that begins a recording' },
  export: { version: 1, where: 'an exported session: `version` of its manifest' },
  proof: { version: 1, where: 'a note in `refs/notes/ao/proof`: `version`' },
} as const satisfies Record<string, Format>

/** How much of a file says its version. */
export const HEAD_BYTES = 256

/** The beginning of a file that names its version: a record, JSON or lines of it, front matter, a task or session of agh, a cassette. */
export const VERSION_MARK =
  /^\s*(?:version=|---\r?\nversion: *|\{\s*"version":\s*|\{\s*"schema":\s*"agh\.[a-z_]{1,40}\.v|\{"k":"start","v":)([1-9]\d{0,8})\b/

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
