// What differs between the session files of agents: where they are, and what their records mean.
import type { TokenUsage } from '../agent-files/cost/prices.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import type { TurnEvent } from '../agent-files/turn-event.ts'

export interface RecordedTurn extends TurnEvent {
  /** A tool is about to run or waits for a permission: the records do not say which. */
  mayWait?: true
}

/** One answer of a model, as far as it counts. */
export interface RecordedAnswer {
  model: string | null
  usage: TokenUsage | null
  text: string
}

export interface RecordFormat {
  /** Where the agent keeps its files; what the session's own configuration sets wins over the user's environment. */
  dataDir(home: string, env: NodeJS.ProcessEnv): string
  /** Directories in which the files of a workspace are, and the end of the name of the one with this id. */
  places(dataDir: string, workspacePath: string, id: string | null): string[]
  isRecordFile(name: string): boolean
  hasId(name: string, id: string): boolean
  turnOf(record: JsonObject): RecordedTurn | null
  /** What the newest turn means together with the records before it: an error may be tried again. */
  inContext?(records: readonly JsonObject[], turn: RecordedTurn, now: Date): RecordedTurn
  /** What a person or ao entered. */
  enteredText(record: JsonObject): string | null
  answerOf(record: JsonObject): RecordedAnswer | null
}
