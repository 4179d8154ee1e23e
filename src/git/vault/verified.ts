// Commits whose objects are what their ids say. Git does not compare the two when it reads, and agents can write the objects of a
// project; so reviews, checks, gates and merges read from a vault, a private copy in which every id was computed from the content that
// came in. Only what is new since commits that it has goes through this, however long the history is.
//
// A commit is marked as complete when its whole history of commits and its own tree are in the vault. Trees of older commits
// are taken when somebody needs them.

import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { syncPath, writeFileAtomic } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { createTurns } from '../../lib/lock/turns.ts'
import { withFreeLock } from '../../lib/lock.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import { gitOn, hasCommit, type Repository, tryGitOn } from '../repository.ts'
import { sendPack } from '../transfer/pack.ts'
import { damagedObject } from './damaged-object.ts'
import { openVault } from './vault-directory.ts'

/** The vault of a repository, to be used like one for reading and for making objects. */
export interface VerifiedRepository extends Repository {
  source: Repository
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** Commits from which is told what is new: the last ones. */
const NEAR = 8
const MOST_PACKS = 40
const LISTED_BYTES = 512 * 1024 * 1024

/** With these commits in it, given by their full ids. Throws GIT_OBJECT_DAMAGED when one cannot be proven to be what it says. */
export async function verified(
  repository: Repository | VerifiedRepository,
  commits: readonly string[],
): Promise<VerifiedRepository> {
  const source = 'source' in repository ? repository.source : repository
  const wanted = [...new Set(commits)]
  for (const one of wanted) if (!ID.test(one)) throw new AoError('GIT_FAILED', `${one} is not the id of a commit`)
  return turns.run(source.commonDir, async () => {
    const vault = await vaultOf(source)
    const missing = wanted.filter((one) => !existsSync(markOf(vault, one)))
    if (missing.length === 0) return vault
    const lacks = await take(vault, missing)
    if (lacks === null) return vault
    // It lacks what it was thought to have: a power loss, or files that somebody removed.
    const anew = await vaultOf(source, { renew: true })
    const still = await take(anew, wanted)
    if (still !== null) throw damagedObject(source, still)
    return anew
  })
}

/** What one takes the next need not. */
const turns = createTurns()

async function vaultOf(source: Repository, options?: { renew: boolean }): Promise<VerifiedRepository> {
  const { directory } = await openVault(source, options)
  return { commonDir: directory, env: source.env, source }
}

function markOf({ commonDir }: VerifiedRepository, commit: string): string {
  return join(commonDir, 'complete', commit)
}

/** The commit was made in the vault, of what is in it. */
export function markComplete(vault: VerifiedRepository, commit: string): void {
  writeFileSync(markOf(vault, commit), '')
}

function nearMarks({ commonDir }: VerifiedRepository): string[] {
  const directory = join(commonDir, 'complete')
  const at = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const marks = namesIn(directory).filter((name) => ID.test(name))
  return marks
    .map((name) => [name, at(name)] as const)
    .sort(([, one], [, other]) => other - one)
    .slice(0, NEAR)
    .map(([name]) => name)
}

/** null: done. Otherwise an object that the vault lacks although nobody had to send it. */
async function take(vault: VerifiedRepository, wanted: readonly string[]): Promise<string | null> {
  const { source } = vault
  const near = nearMarks(vault)
  const { commits, objects } = await listNew(source, wanted, near)
  const listed = new Set([...commits, ...objects])
  try {
    if (listed.size > 0) await sendPack({ from: source, input: [...listed], into: vault })
  } catch (error) {
    throw damagedObject(source, idIn(errorText(error)), error)
  }
  failpoint('vault.taken')
  await cutHistory(vault, commits)
  const lacks = await findMissing(vault, wanted, near)
  if (lacks !== null && !listed.has(lacks) && !wanted.includes(lacks)) return lacks
  if (lacks !== null) throw await explain(source, lacks)
  failpoint('vault.checked')
  // A mark must not survive the pack that it vouches for.
  syncPath(join(vault.commonDir, 'objects', 'pack'))
  for (const one of wanted) markComplete(vault, one)
  await repack(vault)
  return null
}

/** As the repository tells it, which proves nothing: what it leaves out is missed afterwards. */
async function listNew(source: Repository, wanted: readonly string[], near: readonly string[]) {
  const options = { read: true, maxOutputBytes: LISTED_BYTES }
  const ask = (args: string[], suffix: string) => {
    const input = [...wanted, ...near.map((one) => `^${one}`)].map((one) => `${one}${suffix}\n`).join('')
    return gitOn(source, ['rev-list', '--ignore-missing', ...args, '--stdin'], { ...options, input })
  }
  try {
    const [commits, objects] = (
      await Promise.all([ask([], ''), ask(['--objects', '--no-object-names', '--missing=print'], '^{tree}')])
    ).map((list) => list.split('\n').filter(Boolean)) as [string[], string[]]
    const absent = objects.find((one) => one.startsWith('?'))
    if (absent === undefined) return { commits, objects }
    throw new AoError('GIT_FAILED', `The object ${absent.slice(1)} is not in ${source.commonDir}`, {
      hint: `In a partial clone, fetch everything first: git -C '${source.commonDir}' fetch --refetch --no-filter`,
    })
  } catch (error) {
    if (error instanceof AoError && /bad|corrupt|unable to|parse|header|inflate/.test(error.message))
      throw damagedObject(source, idIn(error.message), error)
    throw error
  }
}

/** Walks what is in the vault alone. null: everything is there. */
async function findMissing(
  vault: VerifiedRepository,
  wanted: readonly string[],
  near: readonly string[],
): Promise<string | null> {
  const walk = async (args: string[], suffix: string) => {
    const input = [...wanted, ...near.map((one) => `^${one}`)].map((one) => `${one}${suffix}\n`).join('')
    const result = await tryGitOn(vault, ['rev-list', '--quiet', ...args, '--stdin'], { read: true, input })
    return result.ok ? null : (idIn(result.stderr) ?? wanted[0]!)
  }
  const [commit, object] = await Promise.all([walk([], ''), walk(['--objects'], '^{tree}')])
  return commit ?? object
}

async function explain(source: Repository, id: string): Promise<AoError> {
  if ((await tryGitOn(source, ['cat-file', '-e', id], { read: true })).ok) return damagedObject(source, id)
  return new AoError('GIT_FAILED', `Commit ${id.slice(0, 10)} is not in ${source.commonDir}`)
}

function idIn(text: string): string | null {
  return /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/.exec(text)?.[0] ?? null
}

/** Of a shallow clone: where its history ends, if what comes before is not here either. */
async function cutHistory(vault: VerifiedRepository, commits: readonly string[]): Promise<void> {
  const listed = readIfThere(join(vault.source.commonDir, 'shallow'))
  if (listed === null) return
  const taken = new Set(commits)
  const ends: string[] = []
  for (const commit of listed.split('\n').filter((one) => taken.has(one))) {
    const text = (await tryGitOn(vault, ['cat-file', 'commit', commit], { read: true })).stdout
    const parents = [...text.split('\n\n')[0]!.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent!)
    const areHere = await Promise.all(parents.flatMap((one) => [hasCommit(vault, one), hasCommit(vault.source, one)]))
    if (!areHere.some(Boolean)) ends.push(commit)
  }
  if (ends.length === 0) return
  const file = join(vault.commonDir, 'shallow')
  const all = new Set([...(readIfThere(file) ?? '').split('\n').filter(Boolean), ...ends])
  writeFileAtomic(file, [...all, ''].join('\n'))
}

/** Packs are joined without walking any history, because trees of older commits are not here. */
async function repack(vault: VerifiedRepository): Promise<void> {
  const packs = namesIn(join(vault.commonDir, 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
  if (packs.length <= MOST_PACKS) return
  await withFreeLock(join(vault.commonDir, 'repack.lock'), () =>
    gitOn(vault, ['repack', '--geometric=2', '-d', '--quiet']),
  )
}
