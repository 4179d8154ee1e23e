// Gates that ao itself answers from what a change contains: forbidden paths, size limits, secrets. Pure. The commands of
// the repository have no part in it, so an agent cannot talk them out of it.
import type { Severity } from '../../contract/pull.ts'
import { pathMatcher } from '../text/match-path.ts'
import { holdsSecret } from '../text/redact.ts'
import { showHidden } from '../text/show-hidden.ts'
import type { WitnessRule } from '../witness/test-files.ts'

export interface GateRule extends Omit<WitnessRule, 'witness'> {
  witness?: string | undefined
  forbid?: readonly string[] | undefined
  maxFiles?: number | undefined
  maxLines?: number | undefined
  maxFileKb?: number | undefined
  secrets?: boolean | undefined
  /** A reviewer found nothing of this severity or worse. */
  reviewed?: Severity | undefined
  except?: readonly string[] | undefined
}

export interface ChangedFile {
  path: string
  /** git's letter: added, modified, deleted, or another type. */
  status: 'A' | 'M' | 'D' | 'T'
  /** Added and deleted lines; 0 for a binary file. */
  lines: number
  /** Its size afterwards; null: it is gone, or not a file. */
  bytes: number | null
  /** git counts no lines of it. */
  isBinary?: boolean | undefined
}

export interface AddedLine {
  path: string
  line: number
  text: string
}

const MOST_SHOWN = 50

/** What speaks against it, one line each; empty: nothing. */
export function judgeChange(
  rule: GateRule,
  { files, added }: { files: readonly ChangedFile[]; added: readonly AddedLine[] },
): string[] {
  const isExcepted = pathMatcher(rule.except ?? [])
  const counts = ({ path }: { path: string }) => !isExcepted(path)
  const counted = files.filter(counts)
  // Names of files are whatever the change calls them.
  const found = [
    ...forbidden(rule, counted),
    ...tooLarge(rule, counted),
    ...(rule.secrets ? secretsIn(added.filter(counts)) : []),
  ].map(showHidden)
  const more = found.length - MOST_SHOWN
  return more > 0 ? [...found.slice(0, MOST_SHOWN), `and ${more} more`] : found
}

/** `INFRA/` is `infra/` on file systems that do not tell them apart, such as those of macOS. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

function forbidden({ forbid = [] }: GateRule, files: readonly ChangedFile[]): string[] {
  const isForbidden = pathMatcher(forbid.map(folded))
  return files
    .filter(({ path }) => isForbidden(folded(path)))
    .map(({ path, status }) => `${path} must not be changed, and it is ${VERBS[status]}`)
}

const VERBS: Record<ChangedFile['status'], string> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  T: 'turned into something else',
}

function tooLarge({ maxFiles, maxLines, maxFileKb }: GateRule, files: readonly ChangedFile[]): string[] {
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const big = files.filter(({ bytes }) => maxFileKb !== undefined && bytes !== null && bytes > maxFileKb * 1024)
  return [
    ...(maxFiles !== undefined && files.length > maxFiles
      ? [`it changes ${files.length} files; ${maxFiles} are allowed`]
      : []),
    ...(maxLines !== undefined && lines > maxLines ? [`it changes ${lines} lines; ${maxLines} are allowed`] : []),
    ...big.map(({ path, bytes }) => `${path} has ${Math.ceil(bytes! / 1024)} KB; ${maxFileKb} are allowed`),
  ]
}

/** Where, never what: the log is sent to the agent and kept. */
function secretsIn(added: readonly AddedLine[]): string[] {
  return added
    .filter(({ text }) => holdsSecret(text))
    .map(({ path, line }) => `${path}:${line} adds something that has the form of a secret`)
}
