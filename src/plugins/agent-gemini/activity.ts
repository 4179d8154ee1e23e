// What Gemini is doing, from its chat: the newest one of its workspace that contains a message. It does not record that it
// asks for a permission: the screen has to show that.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { idField, objectField, textField, timeField } from '../../core/text/json-fields.ts'
import { userHome } from '../../lib/process/own-home.ts'
import { readHead, readTailUntil } from '../../lib/read-jsonl.ts'
import type { ActivityReading, FoundConversation, ReadOptions } from '../../slots/agent.ts'
import type { LaunchNote } from '../agent-files/launch-note.ts'
import { listDirectory, ownFiles, pathAndTarget } from '../agent-files/list-directory.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { readTextTail } from '../agent-files/read-text.ts'
import { activityOfTurn } from '../agent-files/screen/activity-of-turn.ts'
import { enteredText, lastChatEvent } from './chat.ts'

export interface GeminiFiles {
  dir: string
  note: LaunchNote | null
}

export async function readActivity(
  session: Session,
  options: ReadOptions,
  files: GeminiFiles,
): Promise<ActivityReading | null> {
  const chat = await findChat(files.dir, session)
  const newest = chat && (await lastEventOf(chat))
  return activityOfTurn(newest, files.note, { session, options })
}

async function lastEventOf(chat: Chat) {
  const tail = await readTailUntil(chat.path, ({ records }) => lastChatEvent(records) !== null)
  return tail ? lastChatEvent(tail.records) : null
}

export interface Chat {
  path: string
  sessionId: string
  startedAt: Date
}

const HEAD_BYTES = 64 * 1024
/** Gemini's timestamp may be from just before ours. */
const SLACK_MS = 5_000
/** The maximum number of files that are opened. */
const MAX_FILES = 20

/** Its chats in this directory, the one that changed last first. */
export async function* chatsOf(dir: string, workspacePath: string): AsyncGenerator<Chat> {
  const directories = await chatDirs(dir, workspacePath)
  const files = (await Promise.all(directories.map(chatFiles))).flat()
  files.sort((a, b) => b.changedAt - a.changedAt)
  for (const { path } of files.slice(0, MAX_FILES)) {
    const chat = await openChat(path)
    if (chat) yield chat
  }
}

/**
 * A resumed chat continues in its old file; a second file with the same id, containing only a header, is left next to it.
 */
export async function findChat(dir: string, session: Session): Promise<Chat | null> {
  for await (const chat of ownChats(dir, session)) return chat
  return null
}

export async function* ownChats(dir: string, session: Session): AsyncGenerator<Chat> {
  if (session.workspacePath === null) return
  for await (const chat of chatsOf(dir, session.workspacePath)) {
    const isOurs = chat.startedAt.getTime() >= session.createdAt.getTime() - SLACK_MS
    if (isOurs || chat.sessionId === recordOf(session).conversation) yield chat
  }
}

/** Chats that were held in these directories, whoever began them. */
export async function listChats(dir: string, directories: readonly string[]): Promise<FoundConversation[]> {
  const found = directories.map(async (directory) => {
    const stores = await chatDirs(dir, directory)
    const files = (await Promise.all(stores.map((store) => ownFiles(store, CHAT, MAX_FILES)))).flat()
    const chats = files.map(async ({ path, at }): Promise<FoundConversation[]> => {
      const chat = await openChat(path)
      const head = chat && (await readHead(path, HEAD_BYTES))
      const prompt = head?.records.map(enteredText).find((text) => text !== null)
      return chat ? [{ id: chat.sessionId, directory, at, title: promptTitle(prompt ?? '') || null }] : []
    })
    return (await Promise.all(chats)).flat()
  })
  return (await Promise.all(found)).flat()
}

const CHAT = /^session-.*\.jsonl$/

async function chatFiles(directory: string): Promise<Array<{ path: string; changedAt: number }>> {
  const names = (await listDirectory(directory)).filter((name) => CHAT.test(name))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      const stats = await stat(path).catch(() => null)
      return stats?.isFile() ? [{ path, changedAt: stats.mtimeMs }] : []
    }),
  )
  return files.flat()
}

/** null: not a chat, a subagent's, or one without messages. */
async function openChat(path: string): Promise<Chat | null> {
  const head = await readHead(path, HEAD_BYTES)
  const header = head?.records[0]
  const sessionId = idField(header, 'sessionId')
  const startedAt = timeField(header, 'startTime')
  if (sessionId === null || startedAt === null || header?.kind === 'subagent') return null
  const tail = await readTailUntil(path, ({ records }) => lastChatEvent(records) !== null)
  return tail && lastChatEvent(tail.records) ? { path, sessionId, startedAt } : null
}

const MAX_PROJECTS_BYTES = 8 * 1024 * 1024

/** `~/.gemini`; what the session's own configuration sets wins over the user's environment. */
export function geminiDir(home: string, env: NodeJS.ProcessEnv, own: Record<string, string> = {}): string {
  return join(own.GEMINI_CLI_HOME || env.GEMINI_CLI_HOME || userHome(home, env), '.gemini')
}

/** Where the chats of a workspace are: `projects.json` maps each path to a name. */
export async function chatDirs(dir: string, workspacePath: string): Promise<string[]> {
  const projects = await readProjects(dir)
  const names = pathAndTarget(workspacePath).flatMap((path) => textField(projects, path) ?? [])
  return names.filter(isPlainName).map((name) => join(dir, 'tmp', name, 'chats'))
}

async function readProjects(dir: string): Promise<unknown> {
  const file = await readTextTail(join(dir, 'projects.json'), MAX_PROJECTS_BYTES)
  try {
    return objectField(JSON.parse(file?.text ?? 'null'), 'projects')
  } catch {
    // Half written: the next poll will show.
    return null
  }
}

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/')
}
