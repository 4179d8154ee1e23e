// Copies of conversations that an agent keeps as lines of JSON: all of one, or as far as one of its messages. The agent's own files
// are only read, and only plain ones of this user.
import { lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { AgentFork, AgentLaunch, ConversationPoint } from '../../slots/agent.ts'
import { type Cut, type CutRules, copiedText, cutRecords, movedTo } from './cut-records.ts'
import { pathAndTarget, realPath } from './list-directory.ts'

export interface ConversationFile {
  id: string
  path: string
}

export interface ForkParts {
  rules: CutRules
  /** How its records name a directory; absent: by its path. */
  nameOf?(path: string): string
  /** The conversations of a session, the newest first. */
  find(source: Session, stateDir: string): Promise<ConversationFile[]>
  /**
   * Where the agent looks for a conversation with the id of the launch, known from then on as the session's newest. null: only the agent
   * itself could say.
   */
  target(launch: AgentLaunch): Promise<string | null>
  command(launch: AgentLaunch, id: string): string[]
}

/** A conversation is parsed as a whole. */
const MAX_BYTES = 128 * 1024 * 1024

export function forkOfRecords({ rules, nameOf = (path) => path, find, target, command }: ForkParts): AgentFork {
  const cut = async (source: Session, stateDir: string, point?: ConversationPoint): Promise<Cut> => {
    const files = await find(source, stateDir)
    const heldIn = pathAndTarget(source.workspacePath ?? '').map(nameOf)
    let whyNot = 'its agent has no conversation yet'
    for (const file of point && 'id' in point ? files.filter(({ id }) => id === point.id) : files) {
      const text = readOwn(file.path)
      if (text === null) continue
      const found = cutRecords({ text, rules, point: point ?? { id: file.id }, heldIn })
      if ('records' in found) return found
      whyNot = found.whyNot
    }
    return { whyNot }
  }
  return {
    async whyNot(source, stateDir, point) {
      const found = await cut(source, stateDir, point)
      return 'whyNot' in found ? found.whyNot : null
    },
    async copy(source, stateDir, launch, point) {
      const found = await cut(source, stateDir, point)
      if ('whyNot' in found) return null
      const id = launch.conversationId
      const path = await target(launch)
      if (path === null) return null
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const moved = movedTo(realPath(launch.workspacePath), pathAndTarget(source.workspacePath ?? ''))
      const text = copiedText(found.records, rules, { id, moved })
      if (!createFileExclusive(path, text)) throw new AoError('INTERNAL', `${path} is there already`)
      return id
    },
    command,
  }
}

function readOwn(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.uid !== process.getuid?.() || stats.size > MAX_BYTES) return null
  return readPlainText(path, { maxBytes: MAX_BYTES })
}
