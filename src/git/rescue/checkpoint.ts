// The files of a checkout before a turn, as a commit in the shape of a rescue: `ao session rewind` and `fork --at` go back to it. It is
// taken while a message waits, so it asks git only what it must; files, index and branch of the agent are only read. Nobody may
// depend on its ref, which an agent can move: the history of the session has the commit.
import { accessSync, constants, existsSync, lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import type { OtherEvent } from '../../contract/events.ts'
import type { Role } from '../../contract/record-values.ts'
import { copyWithTime } from '../../lib/plain-file.ts'
import { type GitOptions, runGit, runGitScript } from '../git.ts'
import { locateGit } from '../git-dir.ts'
import { markedOwner } from '../workspace/record.ts'
import { asAo, describeParts, FIXED_DATE, withScratch } from './rescue-commit.ts'

export interface CheckpointRequest {
  path: string
  sessionId: string
  /** Of the turn that is about to begin. */
  turn: number
  env: NodeJS.ProcessEnv
  /** Paths, one character for each byte, that are saved although git ignores them or they are large. */
  force?: readonly string[]
  /** An index of exactly these files is left here. */
  keepIndex?: string
  /** Commit with what these trees cannot represent (rescue-state.ts). */
  state?: string | null
  timeoutMs?: number
}

export interface Checkpoint {
  commit: string
  /** Paths as above that are not in it: too large, not readable, no plain files, repositories of their own. */
  left: string[]
}

/** The message waits this long at most. */
const DEADLINE_MS = 5_000
/** Git holds a lock for milliseconds; one that stays is somebody else's matter. */
const LOCK_MS = 1_000
const LARGEST_FILE = 32 * 1024 ** 2
const MOST_BYTES = 256 * 1024 ** 2
const MOST_PATHS = 20_000
const MOST_LEFT = 1_000
/** A copy of the index that is thrown away need not be on the disk, nor carry a checksum. */
const THROWN_AWAY = ['-c', 'core.fsync=committed,loose-object,reference', '-c', 'index.skipHash=true']
const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'BISECT_LOG']

export interface TurnOwner {
  role: Role
  /** null: it has no files of its own. */
  path: string | null
  isElsewhere: boolean
}

/** Turns are saved of workers that have files of their own here. */
export function hasTurns(owner: TurnOwner): owner is TurnOwner & { path: string } {
  return owner.role === 'worker' && owner.path !== null && !owner.isElsewhere
}

/**
 * Where a person can go back to: the files as they are before the agent reads the message. Never throws: a message is not held up by it,
 * and the history says what is missing. `isRecorded`: its path is from a record, which can be edited, also by an agent.
 */
export async function saveTurn(
  request: CheckpointRequest & { messageId: string; isRecorded: boolean },
): Promise<OtherEvent[]> {
  const { path, sessionId, turn, messageId: message, isRecorded } = request
  if (isRecorded && markedOwner(path) !== sessionId)
    return [{ type: 'turn.not_saved', turn, message, why: `${path} is not its own workspace` }]
  try {
    const { commit, left } = await takeCheckpoint({ timeoutMs: DEADLINE_MS, ...request })
    return [{ type: 'turn.saved', turn, message, commit, left: left.length === 0 ? undefined : left.length }]
  } catch (error) {
    return [{ type: 'turn.not_saved', turn, message, why: errorText(error) }]
  }
}

const checkpointRef = (sessionId: string, turn: number): string => `refs/ao/checkpoint/${sessionId}/${turn}`

export async function takeCheckpoint(request: CheckpointRequest): Promise<Checkpoint> {
  const location = locateGit(request.path)
  if (location === null)
    throw new AoError('WORKSPACE_NOT_SAVED', `${request.path} is not a working tree that git understands`)
  return withScratch(location, (scratch) => takeIn(location.gitDir, scratch, request))
}

async function takeIn(gitDir: string, scratch: string, request: CheckpointRequest): Promise<Checkpoint> {
  const { path, sessionId, turn, env, force = [], keepIndex, state = null, timeoutMs } = request
  if (UNFINISHED.some((name) => existsSync(join(gitDir, name))))
    throw new AoError('WORKSPACE_NOT_SAVED', 'a merge, rebase or bisect was in progress there')
  const deadline = performance.now() + (timeoutMs ?? 10 * 60_000)
  const index = keepIndex ?? join(scratch, 'work')
  const settings = keepIndex === undefined ? THROWN_AWAY : []
  const limits = () => ({ env, timeoutMs: Math.max(1, deadline - performance.now()), lockWaitMs: LOCK_MS })
  const source = join(gitDir, 'index')
  if (existsSync(source)) copyWithTime(source, index)
  const status = await readStatus(path, [...settings, ...STATUS], {
    ...limits(),
    extraEnv: { GIT_INDEX_FILE: index },
    encoding: 'latin1',
    // Nor is it written for the sake of a status.
    read: keepIndex === undefined,
  })
  const { kept, left } = sort(path, status.changed, new Set(force))
  const about = describeParts({ ...status, state })
  const commit = await writeCheckpoint({
    ...{ path, scratch, index, state, settings, ...status, ...limits() },
    paths: kept,
    message: `Session ${sessionId} before turn ${turn}\n\n${about}ao-left: ${inOneLine(left)}\n`,
    ref: checkpointRef(sessionId, turn),
  })
  return { commit, left }
}

// The commits of a checkpoint and its ref. A message waits for them, so all commands of git are run by one small program: starting
// another one from here takes longer than what most of them do.

interface CheckpointParts {
  path: string
  /** A directory for what git reads here. */
  scratch: string
  /** A copy of the index, with what is staged; afterwards with all files. */
  index: string
  /** null: there is no commit yet. */
  head: string | null
  isStaged: boolean
  /** What the working tree has beyond the index, one character for each byte. */
  paths: readonly string[]
  state: string | null
  /** As the paths: it names the branch. */
  message: string
  ref: string
  settings: readonly string[]
  env: NodeJS.ProcessEnv
  timeoutMs: number
  lockWaitMs: number
}

/** Everything that is not in this text comes as a file or in the environment. */
const SCRIPT = `set -e
if [ -n "$AO_TREE" ]; then staged=$AO_TREE; else staged=$(git "$@" write-tree); fi
parent=$(GIT_AUTHOR_DATE=$AO_DATE GIT_COMMITTER_DATE=$AO_DATE git "$@" \\
  commit-tree "$staged" \${AO_HEAD:+-p "$AO_HEAD"} -m 'Staged state')
files=$staged
if [ -s "$AO_SCRATCH/paths" ]; then
  git "$@" -c core.safecrlf=false update-index --add --remove -z --stdin <"$AO_SCRATCH/paths"
  files=$(git "$@" write-tree)
fi
commit=$(git "$@" commit-tree "$files" \${AO_HEAD:+-p "$AO_HEAD"} -p "$parent" \${AO_STATE:+-p "$AO_STATE"} \\
  -F "$AO_SCRATCH/message" -m "ao-index: $parent")
git "$@" update-ref --no-deref "$AO_REF" "$commit"
echo "$commit"
`

async function writeCheckpoint(parts: CheckpointParts): Promise<string> {
  const { path, scratch, head, paths, message, settings, env, timeoutMs, lockWaitMs } = parts
  writeFileSync(join(scratch, 'paths'), Buffer.from(paths.map((one) => `${one}\0`).join(''), 'latin1'))
  writeFileSync(join(scratch, 'message'), message, 'latin1')
  const extraEnv = {
    ...asAo(),
    GIT_INDEX_FILE: parts.index,
    AO_SCRATCH: scratch,
    AO_DATE: FIXED_DATE,
    AO_REF: parts.ref,
    AO_HEAD: head ?? '',
    AO_STATE: parts.state ?? '',
    AO_TREE: head === null || parts.isStaged ? '' : `${head}^{tree}`,
  }
  const written = await runGitScript(path, SCRIPT, { settings, env, extraEnv, timeoutMs, lockWaitMs })
  return written.trim()
}

interface Status {
  headRef: string | null
  /** null: there is no commit yet. */
  head: string | null
  isStaged: boolean
  /** Paths whose files differ from the index, and those that are not in it. */
  changed: Array<{ path: string; isTracked: boolean }>
}

/** Repositories inside are not asked: only their own git knows what is in them. */
const STATUS = [
  ...['-c', 'core.untrackedCache=false', 'status', '--porcelain=v2', '-z', '--branch', '--no-renames'],
  ...['--untracked-files=all', '--ignore-submodules=all'],
]

async function readStatus(path: string, args: readonly string[], options: GitOptions): Promise<Status> {
  const listed = await runGit(path, args, options)
  const status: Status = { headRef: null, head: null, isStaged: false, changed: [] }
  for (const entry of listed.split('\0')) {
    const [kind, states = ''] = entry.split(' ', 2)
    if (kind === '#' && states === 'branch.oid') status.head = /^# branch.oid ([0-9a-f]+)$/.exec(entry)?.[1] ?? null
    if (kind === '#' && states === 'branch.head') status.headRef = refOf(entry.slice('# branch.head '.length))
    if (kind === 'u') throw new AoError('WORKSPACE_NOT_SAVED', 'a conflict was not resolved there')
    if (kind === '?') status.changed.push({ path: entry.slice(2), isTracked: false })
    if (kind !== '1') continue
    if (states[0] !== '.') status.isStaged = true
    if (states[1] !== '.') status.changed.push({ path: entry.split(' ').slice(8).join(' '), isTracked: true })
  }
  if (status.changed.length > MOST_PATHS)
    throw new AoError(
      'WORKSPACE_NOT_SAVED',
      `${status.changed.length} files were changed there, more than ${MOST_PATHS}`,
    )
  return status
}

function refOf(branch: string): string | null {
  return branch === '(detached)' ? null : `refs/heads/${branch}`
}

/** What is in it, and what is not. */
function sort(
  root: string,
  changed: Status['changed'],
  force: ReadonlySet<string>,
): { kept: string[]; left: string[] } {
  let bytes = 0
  const sizeOf = (path: string): number | null => {
    const file = Buffer.from(`${root}/${path}`, 'latin1')
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined || stats.isSymbolicLink()) return 0
    return stats.isFile() && isReadable(file) ? stats.size : null
  }
  const isKept = ({ path }: { path: string }) => {
    const size = path.endsWith('/') ? null : sizeOf(path)
    if (size === null || size > LARGEST_FILE || bytes + size > MOST_BYTES) return false
    bytes += size
    return true
  }
  const { kept = [], left = [] } = Object.groupBy(
    changed.filter(({ path }) => !force.has(path)),
    (one) => (isKept(one) ? 'kept' : 'left'),
  )
  if (left.length > MOST_LEFT)
    throw new AoError('WORKSPACE_NOT_SAVED', `${left.length} files there are too large or cannot be read`)
  return { kept: [...kept.map(({ path }) => path), ...force], left: left.map(({ path }) => path) }
}

function isReadable(file: Buffer): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    // Left out, and named.
    return false
  }
}

/** In one line of plain characters, whatever an agent calls its files. */
function inOneLine(paths: readonly string[]): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(paths).replace(/[^ -~]/g, escaped)
}
