// The recorded terminal of a session, for the page.

import type { RecordingAnswer } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import type { AnySession } from '../../manager/observe/require-session.ts'
import { endOf, joinParts, readRecording } from '../../store/recording/read-recording.ts'
import { listParts, recordingDirectory } from '../../store/recording/recording-files.ts'

/** Whole parts: what a browser draws within a moment. */
const MAX_BYTES = 3 * 1024 * 1024

export function isRecorded({ session, store }: AnySession): boolean {
  return listParts(recordingDirectory(store.paths.stateDir(session.id))).length > 0
}

export function readTerminalRecording({ session, store }: AnySession): RecordingAnswer {
  const recording = readRecording(recordingDirectory(store.paths.stateDir(session.id)), MAX_BYTES)
  const first = recording.parts[0]?.header
  if (!first) {
    throw new AoError('NOT_RECORDED', `Nothing was recorded of the terminal of ${session.id}`, {
      details: { sessionId: session.id },
    })
  }
  const events = joinParts(recording)
  return {
    size: { cols: first.cols, rows: first.rows },
    from: new Date(first.startedAt).toISOString(),
    to: new Date(events.at(-1)?.at ?? first.startedAt).toISOString(),
    ended: endOf(recording),
    isCut: recording.isCut,
    events: events.map(({ at, kind, data }) => [kind, data, Math.max(0, Math.round(at - first.startedAt))]),
  }
}
