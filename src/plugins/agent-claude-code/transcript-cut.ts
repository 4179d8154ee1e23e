// Where a transcript of Claude's can be cut, and its records in a copy. Pure.
import { type JsonObject, textField } from '../../core/text/json-fields.ts'
import { type CutRules, withFields } from '../agent-files/cut-records.ts'
import { isLocalCommand, promptText } from './turn-events.ts'

export const transcriptCut: CutRules = {
  enteredText(record) {
    if (record.type !== 'user' || isOwn(record)) return null
    const text = promptText(record)
    return text === null || isLocalCommand(text) || text.startsWith('[Request interrupted') ? null : text
  },
  // Those of sub-agents are trees of their own.
  links: (record) =>
    record.isSidechain === true
      ? { id: null, parent: null }
      : { id: textField(record, 'uuid'), parent: textField(record, 'parentUuid') },
  directory: (record) => textField(record, 'cwd'),
  copied: (record, { id, moved }) => withFields(record, { sessionId: id, session_id: id, cwd: moved(record.cwd) }),
}

/** Written by Claude itself. */
function isOwn({ isMeta, isSidechain, isCompactSummary }: JsonObject): boolean {
  return isMeta === true || isSidechain === true || isCompactSummary === true
}
