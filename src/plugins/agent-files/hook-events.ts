// What `ao-hook` recorded in `{stateDir}/hooks.jsonl`: one line per hook event of an agent.
import { join } from 'node:path'
import { type JsonObject, objectField, textField, timeField } from '../../core/text/json-fields.ts'
import { readTailUntil } from '../../lib/read-jsonl.ts'

const HOOKS_FILE = 'hooks.jsonl'

export interface HookEvent {
  at: Date
  agent: string
  event: string
  payload: JsonObject
}

export function hooksPath(stateDir: string): string {
  return join(stateDir, HOOKS_FILE)
}

export function parseHookEvent(record: JsonObject): HookEvent | null {
  const at = timeField(record, 'at')
  const event = textField(record, 'event')
  if (!at || !event) return null
  return { at, event, agent: textField(record, 'agent') ?? '', payload: objectField(record, 'payload') ?? {} }
}

/** The newest events, oldest first; reads back until `isEnough`, within limits. */
export async function readHookEvents(
  stateDir: string,
  isEnough: (events: HookEvent[]) => boolean = (events) => events.length > 0,
): Promise<HookEvent[]> {
  const parse = (records: JsonObject[]) => records.map(parseHookEvent).filter((event) => event !== null)
  const tail = await readTailUntil(hooksPath(stateDir), ({ records }) => isEnough(parse(records)), {
    maxBytes: 8 * 1024 * 1024,
  })
  return tail ? parse(tail.records) : []
}
