// What Claude is doing: its process file, its hooks and its transcript, put together.
import type { ActivityReading, ReadOptions } from '../../slots/agent.ts'
import type { FoldCache } from '../agent-files/fold-cache.ts'
import { readHookEvents } from '../agent-files/hook-events.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { readTailUntil } from '../agent-files/read-jsonl.ts'
import { newer } from '../agent-files/turn-event.ts'
import { decideActivity } from './decide-activity.ts'
import { findTranscripts, type TranscriptQuery } from './find-transcripts.ts'
import { lastHookTurn } from './hook-turns.ts'
import { pickProcessFile, readProcessFiles } from './process-file.ts'
import { lastTranscriptEvent } from './transcript-events.ts'

export async function readActivity(
  query: TranscriptQuery,
  cache: FoldCache,
  { now, readyThresholdMs }: ReadOptions,
): Promise<ActivityReading | null> {
  const found = await findTranscripts(query, cache)
  const newest = found.transcripts.at(-1)
  const [files, events, tail] = await Promise.all([
    readProcessFiles(found.configDir),
    readHookEvents(query.stateDir, (some) => lastHookTurn(some) !== null),
    newest ? readTailUntil(newest.path, ({ records }) => lastTranscriptEvent(records) !== null) : null,
  ])
  const ids = [...found.knownIds, ...found.transcripts.map(({ sessionId }) => sessionId)]
  return decideActivity({
    processFile: pickProcessFile(files, { sessionIds: ids, workspacePaths: pathAndTarget(query.workspacePath) }),
    turn: newer(tail ? lastTranscriptEvent(tail.records) : null, lastHookTurn(events)),
    launchedAt: found.launchedAt,
    now,
    readyThresholdMs,
  })
}
