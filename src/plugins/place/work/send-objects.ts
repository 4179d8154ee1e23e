// Commits on their way to a place: the work and what it is based on, and of that only what the place lacks. A machine keeps what
// home sent for earlier sessions of a repository, and may fetch from the project's remote; what it claims to have is checked there
// against the ids that home names, and sent from home when it is not whole.
import { hostname } from 'node:os'
import { AoError } from '../../../contract/errors.ts'
import { type Repository, tryGitOn } from '../../../git/repository.ts'
import { sha256Hex } from '../../../lib/sha256-hex.ts'
import type { FarAnswer } from '../far-routes.ts'
import type { Far } from '../reach/far.ts'
import { writePack } from './pack.ts'

export interface SentCommits {
  /** Of branches of the remote. */
  base: readonly string[]
  work: string
  /** Where the place may fetch them itself. null: from home. */
  remote: { url: string; branches: readonly string[] } | null
  onNotice(line: string): void
}

const FETCH_MS = 600_000

export async function sendObjects(far: Far, repository: Repository, commits: SentCommits): Promise<void> {
  const { base, work, remote, onNotice } = commits
  const cache = sha256Hex(`${hostname()} ${repository.commonDir}`)
  const about = { cache, remote: remote && { ...remote, branches: [...remote.branches] } }
  const { has, why } = await far.ask('POST /repository', { body: about }, { timeoutMs: FETCH_MS }).catch(ofOlderHost)
  if (why !== undefined) onNotice(`The place could not fetch from the remote, so home sends the commits: ${why}`)
  const send = async (wants: readonly string[], haves: readonly string[], query: object) => {
    const { pack, done } = writePack({ gitDir: repository.commonDir, env: repository.env }, { wants, haves })
    const [{ isWhole = true }] = await Promise.all([far.send('POST /objects', pack, { query }), done])
    return isWhole
  }
  const haves = await present(repository, has)
  const tips = base.join(',')
  const isWhole = await send(base, haves, { cache, tips, check: haves.length > 0 ? 1 : undefined })
  if (!isWhole) await send(base, [], { cache, tips })
  await send([work], base, {})
}

/** It does not know the question, and has nothing. */
function ofOlderHost(error: unknown): FarAnswer<'POST /repository'> {
  if (error instanceof AoError && /another version of ao$/.test(error.message)) return { has: [] }
  throw error
}

/** Those that home has, too: of others it knows no history. */
export async function present(repository: Repository, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return []
  const args = ['rev-list', '--no-walk=unsorted', '--ignore-missing', '--stdin']
  const found = await tryGitOn(repository, args, { read: true, input: commits.map((id) => `${id}\n`).join('') })
  return found.ok ? found.stdout.split('\n').filter((id) => id !== '') : []
}
