// The chat of an ao session: the newest one of its workspace in which something was said. A resumed chat goes on in its
// old file; a second file with the same id, that only has a header, is left beside it.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../../contract/session.ts'
import { textField, timeField } from '../agent-files/json-fields.ts'
import { listDirectory } from '../agent-files/list-directory.ts'
import { readHead, readTailUntil } from '../agent-files/read-jsonl.ts'
import { lastChatEvent } from './chat-records.ts'
import { chatDirs } from './gemini-paths.ts'

export interface Chat {
  path: string
  sessionId: string
  startedAt: Date
}

const HEAD_BYTES = 64 * 1024
/** Gemini may have its clock's reading from just before ours. */
const SLACK_MS = 5_000
/** Only so many files are looked into. */
const MAX_FILES = 20

export async function findChat(dir: string, session: Session): Promise<Chat | null> {
  if (session.workspacePath === null) return null
  const directories = await chatDirs(dir, session.workspacePath)
  const files = (await Promise.all(directories.map(chatFiles))).flat()
  files.sort((a, b) => b.changedAt - a.changedAt)
  for (const { path } of files.slice(0, MAX_FILES)) {
    const chat = await openChat(path)
    if (chat && chat.startedAt.getTime() >= session.createdAt.getTime() - SLACK_MS) return chat
  }
  return null
}

async function chatFiles(directory: string): Promise<Array<{ path: string; changedAt: number }>> {
  const names = (await listDirectory(directory)).filter((name) => /^session-.*\.jsonl$/.test(name))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      const stats = await stat(path).catch(() => null)
      return stats?.isFile() ? [{ path, changedAt: stats.mtimeMs }] : []
    }),
  )
  return files.flat()
}

/** null: no chat, one of a subagent, or one in which nothing was said. */
async function openChat(path: string): Promise<Chat | null> {
  const head = await readHead(path, HEAD_BYTES)
  const header = head?.records[0]
  const sessionId = textField(header, 'sessionId')
  const startedAt = timeField(header, 'startTime')
  if (sessionId === null || startedAt === null || header?.kind === 'subagent') return null
  const tail = await readTailUntil(path, ({ records }) => lastChatEvent(records) !== null)
  return tail && lastChatEvent(tail.records) ? { path, sessionId, startedAt } : null
}
