// Claude's own word on what it does: `sessions/<pid>.json`, one per running process. After kill -9 the file stays, so
// it counts only while that very process lives.
import { join } from 'node:path'
import { identify } from '../../lib/process/process-identity.ts'
import { countField, textField, timeField } from '../agent-files/json-fields.ts'
import { listDirectory } from '../agent-files/list-directory.ts'
import { readTextTail } from '../agent-files/read-text.ts'
import { claudeFiles } from './claude-paths.ts'

export interface ProcessFile {
  pid: number
  sessionId: string
  cwd: string
  /** busy, idle, waiting; a newer version may know more. */
  status: string
  waitingFor: string | null
  startedAt: Date | null
  statusAt: Date | null
  liveness: 'alive' | 'dead' | 'unknown'
}

/** Answers for all sessions of one moment come from one look at the directory. */
const running = new Map<string, Promise<ProcessFile[]>>()

const MAX_FILES = 1_000
const MAX_FILE_BYTES = 64 * 1024

export function readProcessFiles(configDir: string): Promise<ProcessFile[]> {
  const directory = claudeFiles.processes(configDir)
  const shared = running.get(directory)
  if (shared) return shared
  const reading = readAll(directory).finally(() => running.delete(directory))
  running.set(directory, reading)
  return reading
}

/** The newest file of these sessions; without known ids, the newest of that working directory. */
export function pickProcessFile(
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
    // Removed at this moment, or caught half written: the next look will tell.
    return null
  }
}

function livenessOf(pid: number, procStart: string | null): ProcessFile['liveness'] {
  try {
    const identity = identify(pid)
    if (identity === null) return 'dead'
    // Elsewhere than on Linux the two write the start time in different ways, so only the pid can be compared.
    if (process.platform !== 'linux' || procStart === null) return 'alive'
    return identity.start === procStart ? 'alive' : 'dead'
  } catch {
    // The system could not be asked: that is no proof of death.
    return 'unknown'
  }
}
