// `landing/claims.json`: numbers of sequences that were given out, so that no two agents take the same one. A number is on disk before
// anybody hears of it, and never given out again, also when its file never comes.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { claimedPath, nextClaim, numberIn, type Sequence } from '../../core/landing/resolve/sequence.ts'
import { listRegistrations } from '../../git/checkouts.ts'
import { gitOn, type Repository } from '../../git/repository.ts'
import { requireOwnVersion, writeFileAtomic } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { pathInside } from '../../lib/inside-directory.ts'
import { withLock } from '../../lib/lock.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import { splitBatch } from './git-files.ts'

export interface ClaimRequest {
  sequence: Sequence
  projectDir: string
  repository: Repository
  /** The base branch, by its full name. */
  baseRef: string
  /** Where agents work, beside the repository's own worktrees. */
  workspaces: readonly string[]
  /** Who asks, and for which file; the same again gets the same number. '' : a new one each time. */
  by: string
  title: string
  now: Date
}

interface Claim {
  number: number
  by: string
  title: string
  at: string
}

/** By the name of the sequence. `highest` outlives the claims themselves. */
type Claims = Record<string, { highest: number; given: Claim[] }>

const MOST_KEPT = 1_000

export async function claimNumber(request: ClaimRequest): Promise<{ number: number; path: string }> {
  const { sequence, projectDir, by, title } = request
  const directory = join(projectDir, 'landing')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const number = await withLock(join(directory, '.claims-lock'), async () => {
    const path = join(directory, 'claims.json')
    const claims = readClaims(path)
    const { highest, given } = Object.hasOwn(claims, sequence.name) ? claims[sequence.name]! : { highest: 0, given: [] }
    const before = title === '' ? undefined : given.find((one) => one.by === by && one.title === title)
    if (before) return before.number
    const { firm, seen } = await readNumbers(request)
    const next = nextClaim(sequence, { firm: [highest, ...firm], seen })
    if (next === null)
      throw new AoError('USAGE', `The sequence ${sequence.name} has no number left`, {
        hint: 'Write more # into its files in landing.resolve',
      })
    const claim: Claim = { number: next, by, title, at: request.now.toISOString() }
    const after: Claims = { ...claims, [sequence.name]: { highest: next, given: [...given, claim].slice(-MOST_KEPT) } }
    failpoint('claim.chosen')
    writeFileAtomic(path, `${JSON.stringify(after)}\n`)
    failpoint('claim.written')
    return next
  })
  return { number, path: claimedPath(sequence, number, title) }
}

/** A damaged file is not an empty one: numbers would be given out twice. */
function readClaims(path: string): Claims {
  const text = readIfThere(path)
  if (text === null) return {}
  try {
    const claims = JSON.parse(text) as Claims
    const areClaims = Object.values(claims).every(
      (one) => Number.isSafeInteger(one.highest) && Array.isArray(one.given) && one.given.every(isClaim),
    )
    if (!areClaims) throw new Error('it does not hold claims')
    return claims
  } catch (error) {
    requireOwnVersion(path)
    throw new AoError('FILE_UNUSABLE', `${path} is damaged: ${(error as Error).message}`, {
      hint: `Numbers that are in no branch yet would be given out again; if that is fine: mv '${path}' '${path}.damaged'`,
      details: { path },
    })
  }
}

function isClaim({ number, by, title }: Partial<Claim>): boolean {
  return Number.isSafeInteger(number) && typeof by === 'string' && typeof title === 'string'
}

/** Of the base branch, and of everything that has not landed, committed or not. */
async function readNumbers(request: ClaimRequest): Promise<{ firm: number[]; seen: number[] }> {
  const { sequence, repository, baseRef, workspaces } = request
  const numbersOf = (names: readonly string[]) =>
    names.flatMap((name) => numberIn(sequence, at(sequence, name))?.number ?? [])
  const committed = await readBranches(repository, sequence.directory)
  const registered = listRegistrations(repository).map(({ path }) => path)
  const uncommitted = [...new Set([...registered, ...workspaces])].flatMap((path) => {
    const directory = pathInside(path, sequence.directory || '.')
    return directory === null ? [] : namesOrNone(directory)
  })
  const seen = [...committed.values()].flatMap(numbersOf)
  return { firm: numbersOf(committed.get(baseRef) ?? []), seen: [...seen, ...numbersOf(uncommitted)] }
}

function at({ directory }: Sequence, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

/** A file in the place of the directory has no names in it. */
function namesOrNone(directory: string): string[] {
  try {
    return namesIn(directory)
  } catch {
    return []
  }
}

/** Names in the directory, by branch; a tree that many branches share is read once. */
async function readBranches(repository: Repository, directory: string): Promise<Map<string, string[]>> {
  const listed = await gitOn(repository, ['for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes'], {
    read: true,
  })
  const refs = listed.split('\n').filter(Boolean)
  const ask = (input: string[], format: string) =>
    gitOn(repository, ['cat-file', format], { read: true, encoding: 'latin1', input: input.join('') })
  const questions = refs.map((ref) => `${ref}:${directory}\n`)
  const lines = (await ask(questions, '--batch-check=%(objectname) %(objecttype)')).split('\n')
  const trees = lines.map((line) => (line.endsWith(' tree') ? line.slice(0, line.indexOf(' ')) : null))
  const wanted = [...new Set(trees.filter((tree) => tree !== null))].map((tree) => `${tree}\n`)
  const batch = wanted.length === 0 ? '' : await ask(wanted, '--batch=%(objectname) %(objectsize)')
  const names = new Map([...splitBatch(batch)].map(([tree, bytes]) => [tree, namesOfTree(bytes, tree.length / 2)]))
  return new Map(refs.map((ref, index) => [ref, names.get(trees[index] ?? '') ?? []]))
}

/** `mode name NUL id`, one after the other. */
function namesOfTree(bytes: string, idLength: number): string[] {
  const names: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\0', at)
    names.push(Buffer.from(bytes.slice(bytes.indexOf(' ', at) + 1, end), 'latin1').toString('utf8'))
    at = end + 1 + idLength
  }
  return names
}
