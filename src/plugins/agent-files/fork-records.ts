// Copies of conversations that an agent keeps as lines of JSON: all of one, or as far as one of its messages. The agent's own files
// are only read, and only plain ones of this user.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { readWithStats } from '../../lib/plain-file.ts'
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
   * Where the agent looks for a conversation with the id of the launch. null: only the agent itself could say.
   */
  target(launch: AgentLaunch): Promise<string | null>
  /** That one is there, and is the session's newest from now on. Absent: it is found by its time. */
  remember?(launch: AgentLaunch, path: string): Promise<void>
  command(launch: AgentLaunch, id: string): string[]
}

/** A conversation is parsed as a whole. */
const MAX_BYTES = 128 * 1024 * 1024

export function forkOfRecords(parts: ForkParts): AgentFork {
  const { rules, nameOf = (path) => path, find, target, remember, command } = parts
  const cut = async (source: Session, stateDir: string, point?: ConversationPoint): Promise<Cut> => {
    const files = await find(source, stateDir)
    const heldIn = pathAndTarget(source.workspacePath ?? '').map(nameOf)
    let whyNot = 'no conversation of its agent was found'
    for (const file of point && 'id' in point ? files.filter(({ id }) => id === point.id) : files) {
      const own = readOwn(file.path)
      if (own === null) continue
      const found = 'whyNot' in own ? own : cutRecords({ ...own, rules, point: point ?? { id: file.id }, heldIn })
      if ('records' in found) return found
      whyNot = found.whyNot
    }
    return { whyNot }
  }
  return {
    async whyNot(source, stateDir, point) {
      const found = await cut(source, stateDir, point)
      if ('whyNot' in found) return found.whyNot
      try {
        copiedText(found.records, rules, { id: '', moved: (path) => path })
        return null
      } catch (error) {
        // Nested too deeply, or too long as a whole: nobody ends an agent for a copy that cannot be written.
        return `its records cannot be copied: ${errorText(error)}`
      }
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
      if (!createFileExclusive(path, text)) throw new AoError('INTERNAL', `${path} already exists`)
      // Only now: a copy that failed, for want of room, would be continued in place of what there is.
      await remember?.(launch, path)
      return id
    },
    command,
  }
}

/** null: it is gone. */
function readOwn(path: string): { text: string } | { whyNot: string } | null {
  try {
    const { bytes, stats } = readWithStats(path, { maxBytes: MAX_BYTES, noFollow: true })
    return stats.uid === process.getuid?.()
      ? { text: bytes.toString('utf8') }
      : { whyNot: 'its records are of another user' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    return { whyNot: `its records cannot be read: ${errorText(error)}` }
  }
}
