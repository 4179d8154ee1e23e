// The differences between agents' session files: where they are, and what their records mean.
import type { JsonObject } from '../../core/text/json-fields.ts'
import type { CutRules } from '../agent-files/cut-records.ts'
import type { RecordedAnswer } from '../agent-files/session-info.ts'
import type { RecordedTurn } from '../agent-files/turn-event.ts'

export interface RecordFormat {
  /** Where the agent keeps its files; what the session's own configuration sets wins over the user's environment. */
  dataDir(home: string, env: NodeJS.ProcessEnv): string
  /** The directories with a workspace's files, and the suffix of the file name for this id. */
  directories(dataDir: string, workspacePath: string, id: string | null): string[]
  isRecordFile(name: string): boolean
  hasId(name: string, id: string): boolean
  /** In each of its directories, before a conversation is resumed. */
  beforeResume?(directory: string): Promise<void>
  turnOf(record: JsonObject): RecordedTurn | null
  /** What the newest turn means together with the records before it: an error may be retried. */
  inContext?(records: readonly JsonObject[], turn: RecordedTurn, now: Date): RecordedTurn
  /** Its records are written seconds late: the screen shows earlier that a turn has ended. */
  comesLate?: true
  /** What a person or ao entered. */
  enteredText(record: JsonObject): string | null
  /** For the search (slots/agent.ts). */
  spokenIn(record: JsonObject): unknown
  answerOf(record: JsonObject): RecordedAnswer | null
  /** How a conversation is copied up to one of its messages. Absent: it cannot be. */
  cut?: Omit<CutRules, 'enteredText'> & { fileName(id: string, now: Date): string; idOf(name: string): string }
}
