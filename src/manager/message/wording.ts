// What is actually entered for a message: text that an agent would treat as a command is entered so that it stays text, and
// text that its input line does not take whole goes through a file that is named instead.

import { CAUTIOUS_COMMANDS } from '../../contract/agents/agent-table.ts'
import type { Attachment } from '../../contract/agh/attachment.ts'
import { AoError } from '../../contract/errors.ts'
import { lineForFile, MESSAGE_DIRECTORY, messageFileName } from '../../core/message/message-file.ts'
import { countRemoved, enterAsText, neutralisePaste, withoutInvisible } from '../../core/text/paste-text.ts'
import { writeMessageFile } from '../../inside/write-message-file.ts'
import type { Addressee } from '../active.ts'
import { putInWorkspace, requireRoute } from './attached-files.ts'

/** Over the protocol there is no shell, but every agent has commands. */
const OVER_PROTOCOL = '/'
const MAX_FILE_BYTES = 1024 * 1024

export interface Wording {
  text: string
  /** How it differs from the message, for the receipt. */
  note?: string | undefined
  /** Before it is typed: makes the file that it names. */
  prepare?: (() => void | Promise<void>) | undefined
}

interface Worded {
  messageId?: string
  text: string
  source?: string
  raw?: boolean
  attachments?: readonly Attachment[] | undefined
}

/** Throws what can never be entered. */
export function wordingOf(to: Addressee, message: Worded): Wording {
  const { attachments = [] } = message
  const wording = ofText(to, message)
  if (attachments.length === 0) return wording
  requireRoute(to, attachments)
  return {
    ...wording,
    async prepare() {
      await putInWorkspace(to.store.paths, to, attachments)
      await wording.prepare?.()
    },
  }
}

function ofText(to: Addressee, message: Worded): Wording {
  const { text, raw } = message
  const note = removedNote(text)
  if (raw) return { text, note }
  if (to.runtime.events !== undefined) return { text: enterAsText(text, OVER_PROTOCOL), note }
  const { agent } = to
  const { inputCommands, typedLimit } = agent ?? {}
  if (typedLimit !== undefined && Buffer.byteLength(text) > typedLimit) return throughFile(to, message, typedLimit)
  // Plugins for an earlier version of ao have an object there.
  const commands = typeof inputCommands === 'string' ? inputCommands : CAUTIOUS_COMMANDS
  return { text: enterAsText(agent?.dropsInvisible ? withoutInvisible(text) : text, commands), note }
}

function throughFile({ project, session, runtime }: Addressee, message: Worded, limit: number): Wording {
  const { messageId = '', text, source = 'user' } = message
  const { workspacePath } = session
  const size = Buffer.byteLength(text)
  const writeThere = runtime.elsewhere?.writeMessage
  if ((runtime.elsewhere && !writeThere) || workspacePath === null || size > MAX_FILE_BYTES) {
    const why = size > MAX_FILE_BYTES ? `a file may have ${MAX_FILE_BYTES}` : 'ao cannot put a file into its place'
    const takes = `the agent of ${session.id} takes at most ${limit} whole in its input line, and ${why}`
    throw new AoError('MESSAGE_REFUSED', `The message has ${size} bytes; ${takes}`, {
      hint: 'Send it in shorter parts, or commit it as a file and send its name',
      details: { sessionId: session.id, bytes: size, limit },
    })
  }
  const file = [...MESSAGE_DIRECTORY, messageFileName(messageId)].join('/')
  const removed = removedNote(text)
  return {
    text: lineForFile(messageId, source),
    note: `its text is in ${file}${removed === undefined ? '' : `; ${removed}`}`,
    prepare: () => {
      const plain = neutralisePaste(text)
      return writeThere
        ? writeThere(session.runtimeHandle!, messageId, plain)
        : writeMessageFile({ path: workspacePath, ownCheckout: project.path }, messageId, plain)
    },
  }
}

/** Terminals and protocols get no control characters: they would press keys. */
function removedNote(text: string): string | undefined {
  const removed = countRemoved(text)
  if (removed === 0) return undefined
  return removed === 1 ? '1 control character was removed' : `${removed} control characters were removed`
}
