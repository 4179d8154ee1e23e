// Where a rollout of Codex's can be cut, and its records in a copy. Pure.
import { type JsonObject, objectField, textField } from '../../core/text/json-fields.ts'
import { type CutRules, withFields } from '../agent-files/cut-records.ts'
import { enteredText } from './rollout.ts'

export const rolloutCut: CutRules = {
  enteredText,
  beginsTurn: (record) => /^(task|turn)_started$/.test(textField(objectField(record, 'payload'), 'type') ?? ''),
  directory: (record) => (hasDirectory(record) ? textField(record.payload, 'cwd') : null),
  copied(record, { id, moved }) {
    const payload = objectField(record, 'payload')
    if (payload === null) return record
    const own = record.type === 'session_meta' ? { id, session_id: id } : { thread_id: id, session_id: id }
    const where = hasDirectory(record) ? { cwd: moved(payload.cwd) } : {}
    return { ...record, payload: withFields(payload, { ...own, ...where }) }
  },
}

function hasDirectory({ type }: JsonObject): boolean {
  return type === 'session_meta' || type === 'turn_context'
}
