// The Claude session that a restored ao session goes on with.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoldCache } from '../agent-files/fold-cache.ts'
import { readHead } from '../agent-files/read-jsonl.ts'
import { claudeFiles } from './claude-paths.ts'
import { findTranscripts, type TranscriptQuery } from './find-transcripts.ts'

/** Bytes in which a conversation must have begun; instructions and attachments come before the first prompt. */
const START_BYTES = 4 * 1024 * 1024
/** Nothing that could be taken for an option. */
const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{7,}$/

/** The newest transcript that holds a conversation; then the place that older documents name. null: nothing to resume. */
export async function findResumable(query: TranscriptQuery, cache: FoldCache): Promise<string | null> {
  const { transcripts } = await findTranscripts(query, cache, { anyAge: true })
  for (const transcript of [...transcripts].reverse()) {
    if (await holdsConversation(transcript.path)) return transcript.sessionId
  }
  return documentedSession(query.workspacePath)
}

/** Claude refuses to resume a session in which nobody said anything. */
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
    // This place is seldom there.
    return null
  }
  return newest?.name ?? null
}
