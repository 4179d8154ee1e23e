// The fast path for the most frequent line: an update in the form the protocol's libraries write. Its text is cut out and
// kept verbatim instead of being parsed and serialized again.
import type { AcpUpdate } from '../../contract/agh/events.ts'

const HEAD = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"'
const MIDDLE = '","update":'
const END = '}}'

export interface PlainUpdate {
  update: AcpUpdate
  json: string
  acpSessionId: string
}

/** null: something else, or formatted differently; the line must be parsed as a whole. */
export function readPlainUpdate(line: string): PlainUpdate | null {
  if (!line.startsWith(HEAD) || !line.endsWith(END)) return null
  const idEnd = line.indexOf('"', HEAD.length)
  if (!line.startsWith(MIDDLE, idEnd) || line.slice(HEAD.length, idEnd).includes('\\')) return null
  const json = line.slice(idEnd + MIDDLE.length, -END.length)
  // A carriage return between two tokens would end the line of an event stream.
  if (!json.startsWith('{') || json.includes('\r')) return null
  try {
    return { update: JSON.parse(json) as AcpUpdate, json, acpSessionId: line.slice(HEAD.length, idEnd) }
  } catch {
    // Something follows the update, so the cut was wrong.
    return null
  }
}
