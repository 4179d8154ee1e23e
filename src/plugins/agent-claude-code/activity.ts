// What Claude is doing: its process file, its hooks and its transcript combined.

import { join } from 'node:path'
import { countField, type JsonObject, objectField, textField, timeField } from '../../core/text/json-fields.ts'
import { identify } from '../../lib/process/process-identity.ts'
import { readTailUntil } from '../../lib/read-jsonl.ts'
import type { ActivityReading, ReadOptions, Seen } from '../../slots/agent.ts'
import { activityFromAge, turnEnd } from '../agent-files/age-activity.ts'
import type { FoldCache } from '../agent-files/fold-cache.ts'
import { readHookEvents } from '../agent-files/hook-events.ts'
import { listDirectory, pathAndTarget } from '../agent-files/list-directory.ts'
import { readTextTail } from '../agent-files/read-text.ts'
import { recordsShow } from '../agent-files/records-show.ts'
import { newer, type TurnEvent } from '../agent-files/turn-event.ts'
import { claudeFiles } from './claude-paths.ts'
import { findTranscripts, type Transcript, type TranscriptQuery } from './find-transcripts.ts'
import { lastHookTurn, lastTranscriptEvent, promptText } from './turn-events.ts'

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
  const ids = [...found.sessionIds, ...found.transcripts.map(({ sessionId }) => sessionId)]
  return decideActivity({
    processFile: pickProcessFile(files, { sessionIds: ids, workspacePaths: pathAndTarget(query.workspacePath) }),
    turn: newer(tail ? lastTranscriptEvent(tail.records) : null, lastHookTurn(events)),
    launchedAt: found.launchedAt,
    now,
    readyThresholdMs,
  })
}

interface ActivityFacts {
  processFile: ProcessFile | null
  turn: TurnEvent | null
  /** Reports from before this launch say nothing about it. */
  launchedAt: Date | null
  now: Date
  readyThresholdMs: number
}

/** Combines the process file and the newest event of the turn into one reading. Pure. */
export function decideActivity(facts: ActivityFacts): ActivityReading | null {
  const { processFile } = facts
  const file = processFile && isOfThisLaunch(processFile, facts.launchedAt) ? processFile : null
  const turn = facts.turn && isBefore(facts.turn.at, facts.launchedAt) ? null : facts.turn
  if (file?.liveness === 'dead') {
    return reading('exited', file.statusAt ?? turn?.at, `process ${file.pid} of Claude Code is gone`)
  }
  const live = file?.liveness === 'alive' ? fromLiveProcess(file, { ...facts, turn }) : null
  return live ?? fromTurn({ ...facts, turn })
}

function fromLiveProcess(file: ProcessFile, facts: ActivityFacts): ActivityReading | null {
  const { turn } = facts
  const evidence = `its state file says ${file.status}`
  // The file is written a moment after the event, so a newer event is the better witness.
  const newerTurn = turn && file.statusAt && turn.at > file.statusAt ? turn : null
  switch (file.status) {
    case 'waiting':
      return reading('waiting_input', file.statusAt, `${evidence} for ${file.waitingFor ?? 'the user'}`)
    case 'busy':
      if (newerTurn?.kind === 'waiting') return reading('waiting_input', newerTurn.at, newerTurn.evidence)
      return reading('active', latest(file.statusAt, turn?.at), evidence)
    case 'idle':
      if (turn?.kind === 'failed') return reading('blocked', turn.at, turn.evidence)
      if (newerTurn) return fromTurn(facts)
      return aged('finished', latest(file.statusAt, turn?.at) ?? facts.now, facts, evidence)
    default:
      return null
  }
}

function fromTurn(facts: ActivityFacts): ActivityReading | null {
  const { turn } = facts
  if (!turn) return null
  if (turn.kind === 'exited') return reading('exited', turn.at, turn.evidence)
  return aged(turn.kind, turn.at, facts, turn.evidence)
}

function aged(
  kind: Exclude<TurnEvent['kind'], 'exited'>,
  at: Date,
  facts: ActivityFacts,
  evidence: string,
): ActivityReading {
  const { now, readyThresholdMs } = facts
  return { ...reading(activityFromAge({ kind, at, now, readyThresholdMs }), at, evidence), ...turnEnd(kind) }
}

/** A file of an earlier launch may be left over after kill -9 while the new process is still starting. */
function isOfThisLaunch(file: ProcessFile, launchedAt: Date | null): boolean {
  if (file.liveness !== 'dead') return true
  const lastSign = latest(file.startedAt, file.statusAt)
  return lastSign !== undefined && !isBefore(lastSign, launchedAt)
}

function isBefore(at: Date, launchedAt: Date | null): boolean {
  return launchedAt !== null && at < launchedAt
}

function latest(a: Date | null | undefined, b: Date | null | undefined): Date | undefined {
  if (!a || !b) return a ?? b ?? undefined
  return a > b ? a : b
}

function reading(
  state: ActivityReading['state'],
  timestamp: Date | null | undefined,
  evidence: string,
): ActivityReading {
  return { state, timestamp: timestamp ?? undefined, evidence }
}

/**
 * Claude's own report of what it is doing: `sessions/<pid>.json`, one per running process. After kill -9 the file stays, so
 * it counts only while that very process is alive.
 */
export interface ProcessFile {
  pid: number
  sessionId: string
  cwd: string
  /** busy, idle, waiting; a newer version may have more. */
  status: string
  waitingFor: string | null
  startedAt: Date | null
  statusAt: Date | null
  liveness: 'alive' | 'dead' | 'unknown'
}

/** Answers for all sessions at one moment come from one read of the directory. */
const running = new Map<string, Promise<ProcessFile[]>>()

const MAX_FILES = 1_000
const MAX_FILE_BYTES = 64 * 1024

function readProcessFiles(configDir: string): Promise<ProcessFile[]> {
  const directory = claudeFiles.processes(configDir)
  const shared = running.get(directory)
  if (shared) return shared
  const reading = readAll(directory).finally(() => running.delete(directory))
  running.set(directory, reading)
  return reading
}

/** The newest file of these sessions; without known ids, the newest of that working directory. */
function pickProcessFile(
  files: readonly ProcessFile[],
  wanted: { sessionIds: readonly string[]; workspacePaths: readonly string[] },
): ProcessFile | null {
  const mine = files.filter((file) =>
    wanted.sessionIds.length > 0
      ? wanted.sessionIds.includes(file.sessionId)
      : wanted.workspacePaths.includes(file.cwd),
  )
  return mine.sort((a, b) => startTime(b) - startTime(a))[0] ?? null
}

function startTime(file: ProcessFile): number {
  return file.startedAt?.getTime() ?? 0
}

async function readAll(directory: string): Promise<ProcessFile[]> {
  const numbered = (await listDirectory(directory)).filter((name) => /^[0-9]+\.json$/.test(name)).slice(0, MAX_FILES)
  return (await Promise.all(numbered.map((name) => readOne(join(directory, name))))).filter((one) => one !== null)
}

async function readOne(path: string): Promise<ProcessFile | null> {
  const record = parse((await readTextTail(path, MAX_FILE_BYTES))?.text ?? '')
  const pid = countField(record, 'pid')
  const sessionId = textField(record, 'sessionId')
  if (pid === 0 || sessionId === null) return null
  return {
    pid,
    sessionId,
    cwd: textField(record, 'cwd') ?? '',
    status: textField(record, 'status') ?? '',
    waitingFor: textField(record, 'waitingFor'),
    startedAt: timeField(record, 'startedAt'),
    statusAt: timeField(record, 'statusUpdatedAt') ?? timeField(record, 'updatedAt'),
    liveness: livenessOf(pid, textField(record, 'procStart')),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Being removed or only half written: the next poll will show.
    return null
  }
}

function livenessOf(pid: number, procStart: string | null): ProcessFile['liveness'] {
  try {
    const identity = identify(pid)
    if (identity === null) return 'dead'
    // Outside Linux the two format the start time differently, so only the pid can be compared.
    if (process.platform !== 'linux' || procStart === null) return 'alive'
    return identity.start === procStart ? 'alive' : 'dead'
  } catch {
    // The system could not be queried: that is not proof of death.
    return 'unknown'
  }
}

/** Does the transcript show a message? One entered while Claude works first appears there as a queue operation. */
export function hasSeen(transcript: Transcript | undefined, text: string, since: Date): Promise<Seen> {
  return recordsShow({ file: transcript?.path, enteredText, refusedText }, text, since)
}

function enteredText(record: JsonObject): string | null {
  if (record.type === 'user') return promptText(record)
  if (record.type === 'queue-operation' && record.operation === 'enqueue') return textField(record, 'content')
  return null
}

/** After the words of the hook. */
const REFUSED = /\bOriginal prompt: ([\s\S]*)$/

function refusedText(record: JsonObject): string | null {
  const ending = objectField(objectField(record, 'promptSubmitEnding'), 'ending')
  if (textField(ending, 'kind') !== 'blocked_by_hook') return null
  return REFUSED.exec(textField(record, 'content') ?? '')?.[1] ?? null
}
