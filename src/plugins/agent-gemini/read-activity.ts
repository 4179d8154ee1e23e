// What Gemini is doing, from its chat. It writes nothing down when it asks for a permission: there the screen has to tell.
import type { Session } from '../../contract/session.ts'
import type { ActivityReading, ReadOptions } from '../../slots/agent.ts'
import { activityFromAge } from '../agent-files/age-activity.ts'
import { type LaunchNote, sinceLaunch } from '../agent-files/launch-note.ts'
import { readTailUntil } from '../agent-files/read-jsonl.ts'
import { readScreenLog } from '../agent-files/screen/screen-log.ts'
import { lastChatEvent } from './chat-records.ts'
import { type Chat, findChat } from './find-chat.ts'

export interface GeminiPlace {
  dir: string
  note: LaunchNote | null
}

export async function readActivity(
  session: Session,
  options: ReadOptions,
  place: GeminiPlace,
): Promise<ActivityReading | null> {
  const chat = await findChat(place.dir, session)
  const newest = chat && (await lastEventOf(chat))
  const event = sinceLaunch(newest, place.note)
  if (!event) return readScreenLog(session, options, place.note?.launchedAt)
  const { kind, at, evidence } = event
  if (kind === 'exited') return { state: 'exited', timestamp: at, evidence }
  const reading: ActivityReading = { state: activityFromAge({ kind, at, ...options }), timestamp: at, evidence }
  if (event !== newest || !newest.mayWait) return reading
  const seen = readScreenLog(session, options, at)
  if (seen?.state === 'waiting_input') return seen
  // Without words a tool is all there is: unless it takes too long, whoever can see the screen knows better.
  return kind === 'working' && reading.state === 'active' && session.runtimeHandle ? seen : reading
}

async function lastEventOf(chat: Chat) {
  const tail = await readTailUntil(chat.path, ({ records }) => lastChatEvent(records) !== null)
  return tail ? lastChatEvent(tail.records) : null
}
