// Which rollout file belongs to an ao session. The hook that fires at its start names it; without hooks it is the newest
// one created in the workspace and changed after the launch.
import { basename, join } from 'node:path'
import { objectField, textField } from '../../core/text/json-fields.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import type { Log } from '../../lib/log.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { readHead } from '../../lib/read-jsonl.ts'
import type { FoundConversation } from '../../slots/agent.ts'
import type { FoldCache } from '../agent-files/fold-cache.ts'
import { hooksPath, parseHookEvent } from '../agent-files/hook-events.ts'
import { listDirectory, modifiedAt, ownFiles, pathAndTarget } from '../agent-files/list-directory.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { codexHome, readLaunchRecord, stateFiles } from './launch.ts'
import { enteredText } from './rollout.ts'

const codexFiles = {
  /** `YYYY/MM/DD/rollout-<local time>-<thread id>.jsonl` */
  sessions: (codexHomeDir: string) => join(codexHomeDir, 'sessions'),
  archived: (codexHomeDir: string) => join(codexHomeDir, 'archived_sessions'),
}

const ROLLOUT = /^rollout-.*?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/

export interface Rollout {
  path: string
  threadId: string
}

export interface RolloutQuery {
  workspacePath: string
  /** The thread that the session was adopted with. */
  adopted?: string | undefined
  stateDir: string
  home: string
  env: NodeJS.ProcessEnv
  log: Log
}

/** The first record contains Codex's whole base instructions. */
const META_BYTES = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
/** How many files are opened before the search gives up. */
const MAX_CANDIDATES = 500

/** `anyAge`: for a restore, also files last changed before the newest launch. */
export async function findRollout(
  query: RolloutQuery,
  cache: FoldCache,
  options: { anyAge?: boolean } = {},
): Promise<Rollout | null> {
  const record = readLaunchRecord(query.stateDir)
  const since = record && !options.anyAge ? new Date(record.launchedAt) : null
  const reported = await reportedRollout(query.stateDir, cache)
  if (reported && (since === null || reported.at >= since)) return reported
  const remembered = await rememberedRollout(query.stateDir)
  // A resumed rollout was last changed before the launch, and changes again only with the first message.
  if (remembered && (since === null || record?.isResume || remembered.modifiedAt >= since)) return remembered
  const home = record?.codexHome ?? codexHome(query.home, query.env)
  const adopted = query.adopted === undefined ? null : await rolloutOf(home, query.adopted, query.workspacePath)
  const found = adopted ?? (await searchRollout(home, query.workspacePath, since))
  if (found) await rememberRollout(query.stateDir, found, query.log)
  return found
}

/** The thread of the newest SessionStart: a new one begins after `/new`. A launch without hooks reports none. */
async function reportedRollout(stateDir: string, cache: FoldCache): Promise<(Rollout & { at: Date }) | null> {
  const folded = await cache.fold<{ path: string; at: string } | { path: null }>(hooksPath(stateDir), {
    rules: 'codex-rollout-path-2',
    start: () => ({ path: null }),
    step: (state, record) => {
      const event = parseHookEvent(record)
      const path = textField(event?.payload, 'transcript_path')
      if (event && path !== null) Object.assign(state, { path, at: event.at.toISOString() })
    },
    wants: (line) => line.includes('"SessionStart"'),
  })
  if (!folded || folded.state.path === null) return null
  const rollout = await existing(folded.state.path)
  return rollout && { ...rollout, at: new Date(folded.state.at) }
}

async function rememberedRollout(stateDir: string): Promise<(Rollout & { modifiedAt: Date }) | null> {
  try {
    const { path } = JSON.parse(readPlainText(stateFiles.rollout(stateDir))) as { path?: unknown }
    return typeof path === 'string' ? await existing(path) : null
  } catch {
    // Nothing remembered, or damaged: it is searched again.
    return null
  }
}

export async function rememberRollout(stateDir: string, { path }: Pick<Rollout, 'path'>, log: Log): Promise<void> {
  await ignoreFailure('the path of the rollout is not remembered, the next search is slower', log, () =>
    writeFileAtomic(stateFiles.rollout(stateDir), `${JSON.stringify({ path })}\n`, { durable: false }),
  )
}

async function existing(path: string | null): Promise<(Rollout & { modifiedAt: Date }) | null> {
  const threadId = path === null ? null : threadIdOf(basename(path))
  const at = path === null ? null : await modifiedAt(path)
  return path !== null && threadId !== null && at ? { path, threadId, modifiedAt: at } : null
}

async function searchRollout(home: string, workspacePath: string, since: Date | null): Promise<Rollout | null> {
  const wanted = pathAndTarget(workspacePath)
  let tried = 0
  for await (const directory of rolloutDirectories(home, since)) {
    const paths = (await listDirectory(directory)).map((name) => join(directory, name))
    const found = (await Promise.all(paths.map(existing))).filter((one) => one !== null)
    const fresh = found.filter((one) => since === null || one.modifiedAt >= since)
    for (const candidate of fresh.sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime())) {
      if (tried++ > MAX_CANDIDATES) return null
      if (await wasMadeIn(candidate.path, wanted)) return candidate
    }
  }
  return null
}

/** By its id; only one of this directory. */
async function rolloutOf(home: string, threadId: string, workspacePath: string): Promise<Rollout | null> {
  const [found] = await listThreads(home, [workspacePath], threadId)
  return found ?? null
}

const LISTED = 20

/** Threads of people that were held in these directories; with `only`, the one with this id. */
export async function listThreads(
  home: string,
  directories: readonly string[],
  only?: string,
): Promise<Array<Rollout & FoundConversation>> {
  const threads: Array<Rollout & FoundConversation> = []
  let tried = 0
  for await (const day of rolloutDirectories(home, null)) {
    for (const { path, name, at } of await ownFiles(day, ROLLOUT, MAX_CANDIDATES)) {
      const id = threadIdOf(name)
      if (id === null || (only !== undefined && id !== only)) continue
      if (tried++ > MAX_CANDIDATES || threads.length >= LISTED) return threads
      const directory = await directoryOf(path, directories)
      if (directory !== null) threads.push({ path, threadId: id, id, directory, at, title: await titleOf(path) })
    }
  }
  return threads
}

async function directoryOf(path: string, directories: readonly string[]): Promise<string | null> {
  for (const directory of directories) if (await wasMadeIn(path, pathAndTarget(directory))) return directory
  return null
}

async function titleOf(path: string): Promise<string | null> {
  const head = await readHead(path, META_BYTES)
  const prompts = head?.records.flatMap((record) => promptTitle(enteredText(record) ?? '') || []) ?? []
  return prompts[0] ?? null
}

/** Directories by day, newest first; days before `since` cannot contain a thread that began after it. */
async function* rolloutDirectories(home: string, since: Date | null): AsyncGenerator<string> {
  // Names are local dates, hence the extra day.
  const firstDay = since === null ? '' : new Date(since.getTime() - DAY_MS).toISOString().slice(0, 10)
  const root = codexFiles.sessions(home)
  for (const year of await numbered(root)) {
    for (const month of await numbered(join(root, year))) {
      for (const day of await numbered(join(root, year, month))) {
        if (`${year}-${month}-${day}` < firstDay) return
        yield join(root, year, month, day)
      }
    }
  }
  yield codexFiles.archived(home)
}

async function numbered(directory: string): Promise<string[]> {
  const names = await listDirectory(directory)
  return names
    .filter((name) => /^\d+$/.test(name))
    .sort()
    .reverse()
}

/** A person's own thread in this directory, not a sub-agent's. */
async function wasMadeIn(path: string, wanted: readonly string[]): Promise<boolean> {
  const head = await readHead(path, META_BYTES)
  const meta = head?.records.find((record) => record.type === 'session_meta')
  const payload = objectField(meta, 'payload') ?? meta
  if (objectField(payload, 'source') !== null) return false
  return wanted.includes(textField(payload, 'cwd') ?? '')
}

/** The thread id in the name of a rollout file; null when it is not one. */
function threadIdOf(fileName: string): string | null {
  return ROLLOUT.exec(fileName)?.[1] ?? null
}
