// Names that a session gets: its branch, and the prefix of its id.
import { AoError } from '../../contract/errors.ts'

/** Longest slug of free text, in characters. With four bytes each and a `.lock` suffix it still fits a file name. */
const MAX_SLUG = 60
const MAX_BRANCH_BYTES = 240

export interface BranchChoice {
  sessionId: string
  /** What the caller asked for. Always wins. */
  explicit?: string | undefined
  issueId?: string | undefined
  /** The tracker's name, when there is a tracker and it knows the issue. */
  trackerBranch?: string | undefined
  /** Others may work on the same issue: the branch is this session's alone. */
  isSecond?: boolean | undefined
}

/** Explicit, then the tracker's name for the issue, then `feat/{issue}`, then `session/{id}`. */
export function resolveBranch(choice: BranchChoice): string {
  const { explicit, issueId, trackerBranch, sessionId } = choice
  if (explicit !== undefined) return requireSafeBranch(explicit)
  if (issueId === undefined) return branchForSession(sessionId)
  const isUsable = trackerBranch !== undefined && isSafeBranch(trackerBranch)
  const branch = isUsable ? trackerBranch : branchForIssue(issueId, sessionId)
  return choice.isSecond ? `${branch}-${sessionId}` : branch
}

export function branchForSession(sessionId: string): string {
  return `session/${sessionId}`
}

/** `INT-1234` stays as it is; free text becomes a slug; text without a single letter or digit becomes `fallback`. */
export function branchForIssue(issueId: string, fallback = 'issue'): string {
  return `feat/${sanitizeForBranch(issueId) || fallback}`
}

/** Ids are compared ignoring case and a leading `#`. */
export function issueKey(issueId: string): string {
  return issueId.trim().replace(/^#/, '').toLowerCase()
}

/** A number, a key such as `#42`, `INT-1234` and `acme/app#7`, or an address: something in a tracker, here or elsewhere,
 *  rather than a description of the work. */
export function isIssueReference(text: string): boolean {
  return /^#?\d+$|^[A-Za-z][A-Za-z0-9]*-\d+$|^[\w./-]+#\d+$|^https?:\/\/\S+$/.test(text.trim())
}

/** One path component of a branch name. Empty when the text holds no letter or digit. */
export function sanitizeForBranch(text: string): string {
  const trimmed = text.trim()
  if (ID_LIKE.test(trimmed) && isSafeBranch(`feat/${trimmed}`)) return trimmed
  const slug = trimmed
    .toWellFormed()
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
  return [...slug.replace(/^-/, '')].slice(0, MAX_SLUG).join('').replace(/-$/, '')
}

/** Stricter than `git check-ref-format --branch`: everything accepted here is accepted by git too. */
export function isSafeBranch(name: string): boolean {
  if (!name.isWellFormed() || byteLength(name) > MAX_BRANCH_BYTES) return false
  if (FORBIDDEN_ANYWHERE.test(name) || FORBIDDEN_WHOLE.test(name)) return false
  return name.split('/').every(isSafeComponent)
}

const ID_LIKE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
// Control characters and space, what git gives a meaning, `..`, and the start of `@{upstream}`.
// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses exactly these
const FORBIDDEN_ANYWHERE = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/
// A leading dash reads as an option, a full object id as a commit, and `refs/…` as a different ref.
const FORBIDDEN_WHOLE = /^-|^@$|^HEAD$|\.$|^refs\/|^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

function isSafeComponent(component: string): boolean {
  return component !== '' && !component.startsWith('.') && !component.endsWith('.lock')
}

function requireSafeBranch(name: string): string {
  if (isSafeBranch(name)) return name
  throw new AoError('USAGE', `${JSON.stringify(name)} is not a usable branch name`, {
    hint: 'Use letters, digits, - and /, for example: --branch feat/login',
    details: { branch: name },
  })
}

function byteLength(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0)!
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}
