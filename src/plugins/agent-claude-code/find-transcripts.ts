// Which transcripts belong to an ao session, and which one it can be resumed from. Known ids come first (set at launch,
// reported by hooks); the directory of the workspace is searched only when none of them has a transcript, because it may
// contain older sessions too.

import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type JsonObject, objectField, textField } from '../../core/text/json-fields.ts'
import { readHead, readTail } from '../../lib/read-jsonl.ts'
import type { FoundConversation } from '../../slots/agent.ts'
import type { FoldCache } from '../agent-files/fold-cache.ts'
import { hooksPath, parseHookEvent } from '../agent-files/hook-events.ts'
import { listDirectory, modifiedAt, ownFiles, pathAndTarget } from '../agent-files/list-directory.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { claudeConfigDir, claudeFiles, isSessionId, projectDirName } from './claude-paths.ts'
import { readLaunchRecord } from './launch.ts'

export interface Transcript {
  path: string
  sessionId: string
  modifiedAt: Date
}

export interface TranscriptQuery {
  workspacePath: string
  /** The conversation that the session was adopted with. */
  adopted?: string | undefined
  stateDir: string
  home: string
  env: NodeJS.ProcessEnv
}

interface FoundTranscripts {
  configDir: string
  /** Every Claude session id known to belong to this ao session. */
  sessionIds: string[]
  launchedAt: Date | null
  /** Oldest change first. */
  transcripts: Transcript[]
}

const CWD_SEARCH_BYTES = 256 * 1024

/** Transcripts found by their directory alone count only when they changed after the launch, unless `anyAge`. */
export async function findTranscripts(
  query: TranscriptQuery,
  cache: FoldCache,
  options: { anyAge?: boolean } = {},
): Promise<FoundTranscripts> {
  const record = readLaunchRecord(query.stateDir)
  const configDir = record?.configDir ?? claudeConfigDir(query.home, query.env)
  const launchedAt = record ? new Date(record.launchedAt) : null
  const launched = record ? [...record.earlier, record.sessionId] : []
  const reported = await reportedIds(query.stateDir, cache)
  const adopted = query.adopted === undefined ? [] : [query.adopted]
  const sessionIds = [...new Set([...adopted, ...launched, ...reported])].filter(isSessionId)
  const directories = await projectDirectories(configDir, query.workspacePath)
  const existing = (await Promise.all(sessionIds.map((id) => firstTranscript(directories, id)))).filter(
    (one) => one !== null,
  )
  const transcripts =
    existing.length > 0
      ? existing
      : await byDirectory(directories, query.workspacePath, options.anyAge ? null : launchedAt)
  return { configDir, sessionIds, launchedAt, transcripts: transcripts.sort(byAge) }
}

/** Claude takes a new id on `/clear`; its SessionStart hook reports it. */
async function reportedIds(stateDir: string, cache: FoldCache): Promise<string[]> {
  const folded = await cache.fold<string[]>(hooksPath(stateDir), {
    rules: 'claude-session-ids-1',
    start: () => [],
    step: (ids, record) => {
      const id = textField(parseHookEvent(record)?.payload, 'session_id')
      if (id && !ids.includes(id) && ids.length < 100) ids.push(id)
    },
    wants: (line) => line.includes('"SessionStart"'),
  })
  return folded?.state ?? []
}

/** Claude shortens the names of very long paths, so everything with the same prefix is checked. */
async function projectDirectories(configDir: string, workspacePath: string): Promise<string[]> {
  const projects = claudeFiles.projects(configDir)
  const names = [...new Set(pathAndTarget(workspacePath).map(projectDirName))]
  const exact = names.map((name) => join(projects, name))
  if (names.every((name) => name.length < 180)) return exact
  const all = await listDirectory(projects)
  const alike = all.filter((entry) => names.some((name) => entry.startsWith(name.slice(0, 180))))
  return [...new Set([...exact, ...alike.map((entry) => join(projects, entry))])]
}

async function firstTranscript(directories: string[], sessionId: string): Promise<Transcript | null> {
  for (const directory of directories) {
    const found = await statTranscript(join(directory, `${sessionId}.jsonl`))
    if (found) return found
  }
  return null
}

async function byDirectory(directories: string[], workspacePath: string, since: Date | null): Promise<Transcript[]> {
  const names = await Promise.all(
    directories.map(async (directory) => (await listDirectory(directory)).map((name) => join(directory, name))),
  )
  const candidates = names.flat().filter((path) => isSessionId(basename(path, '.jsonl')) && path.endsWith('.jsonl'))
  const found = (await Promise.all(candidates.map(statTranscript))).filter((one) => one !== null)
  // The newest match is the answer, so the others need not be opened.
  for (const transcript of found.sort(byAge).reverse()) {
    if (since !== null && transcript.modifiedAt < since) return []
    if (await wasMadeIn(transcript.path, workspacePath)) return [transcript]
  }
  return []
}

/** The name of the directory is lossy; only the records contain the working directory. */
async function wasMadeIn(path: string, workspacePath: string): Promise<boolean> {
  const wanted = pathAndTarget(workspacePath)
  for (const read of [readHead, readTail]) {
    const part = await read(path, CWD_SEARCH_BYTES)
    const cwd = part?.records.map((record) => textField(record, 'cwd')).find((text) => text !== null)
    if (cwd) return wanted.includes(cwd)
  }
  return false
}

async function statTranscript(path: string): Promise<Transcript | null> {
  const at = await modifiedAt(path)
  return at && { path, sessionId: basename(path, '.jsonl'), modifiedAt: at }
}

/** Transcripts of sub-agents: `{session id}/subagents/*.jsonl`, or `agent-*.jsonl` beside the transcript in older versions. */
export async function findSubagentTranscripts(transcript: Transcript): Promise<string[]> {
  const directory = dirname(transcript.path)
  const own = join(directory, transcript.sessionId, 'subagents')
  const inside = (await listDirectory(own)).filter((name) => name.endsWith('.jsonl')).map((name) => join(own, name))
  if (inside.length > 0) return inside.sort()
  const beside = (await listDirectory(directory)).filter((name) => /^agent-.*\.jsonl$/.test(name)).sort()
  return beside.map((name) => join(directory, name))
}

function byAge(a: Transcript, b: Transcript): number {
  return a.modifiedAt.getTime() - b.modifiedAt.getTime()
}

/** Bytes within which a conversation must have begun; instructions and attachments come before the first prompt. */
const START_BYTES = 4 * 1024 * 1024
/** Nothing that could be taken for an option. */
const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{7,}$/

/** The newest transcript that contains a conversation; then the location in older documents. null: nothing to resume. */
export async function findResumable(query: TranscriptQuery, cache: FoldCache): Promise<string | null> {
  const { transcripts } = await findTranscripts(query, cache, { anyAge: true })
  for (const transcript of [...transcripts].reverse()) {
    if (await holdsConversation(transcript.path)) return transcript.sessionId
  }
  return documentedSession(query.workspacePath)
}

/** Claude refuses to resume a session without any message. */
async function holdsConversation(path: string): Promise<boolean> {
  const head = await readHead(path, START_BYTES)
  if (!head) return false
  const spoken = head.records.some(({ type }) => type === 'user' || type === 'assistant')
  return spoken || head.size > START_BYTES
}

/** `.claude/sessions/<hash>`, as a file or a directory: the newest. */
async function documentedSession(workspacePath: string): Promise<string | null> {
  const directory = claudeFiles.workspaceSessions(workspacePath)
  let newest: { name: string; at: number } | null = null
  try {
    for (const entry of await readdir(directory)) {
      const name = entry.replace(/\.jsonl?$/, '')
      if (!SESSION_NAME.test(name)) continue
      const at = (await stat(join(directory, entry))).mtimeMs
      if (newest === null || at >= newest.at) newest = { name, at }
    }
  } catch {
    // This directory rarely exists.
    return null
  }
  return newest?.name ?? null
}

const LISTED = 10
const TRANSCRIPT = /^[0-9a-f-]{36}\.jsonl$/i

/** Conversations that were held in these directories, whoever began them. */
export async function listConversations(
  configDir: string,
  directories: readonly string[],
): Promise<FoundConversation[]> {
  const found = directories.map(async (directory) => {
    const stores = await projectDirectories(configDir, directory)
    const files = (await Promise.all(stores.map((store) => ownFiles(store, TRANSCRIPT, LISTED)))).flat()
    const made = files.map(async ({ path, name, at }): Promise<FoundConversation[]> => {
      const id = basename(name, '.jsonl')
      if (!isSessionId(id) || !(await wasMadeIn(path, directory)) || !(await holdsConversation(path))) return []
      const head = await readHead(path, CWD_SEARCH_BYTES)
      return [{ id, directory, at, title: head?.records.map(enteredTitle).find((title) => title !== null) ?? null }]
    })
    return (await Promise.all(made)).flat()
  })
  return (await Promise.all(found)).flat()
}

function enteredTitle(record: JsonObject): string | null {
  if (record.type !== 'user' || record.isMeta === true || record.isSidechain === true) return null
  const text = textField(objectField(record, 'message'), 'content')
  return text === null || text.startsWith('<') ? null : promptTitle(text) || null
}
