// What home keeps of a session in a place, in the session's state directory: where it is, and the state of the line to it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../../../core/boundary/gh-request.ts'
import type { LineMemory } from '../../../core/place/line/line-state.ts'
import type { WorkLeft } from '../../../core/place/work-limits.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { readIfThere } from '../../../lib/plain-file.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { FarWork } from '../far-contract.ts'

/** Which launch of a session it is. */
export interface LaunchKey {
  stateDir: string
  spawnId: string
}

/** Everything the line needs to find the session again. No secrets. */
export interface LineSpec {
  name: string
  spawnId: string
  sessionId: string
  /** The place's name in the configuration. Absent in older files. */
  place?: string | undefined
  /** The engine's plugin and its options. */
  engine: string
  options: Record<string, unknown>
  configDir: string
  /** The configuration whose external plugin the engine is. Absent: it ships with ao. */
  externalOf?: string | undefined
  ref: string
  /** argv of the host's program there and of a channel to it, and its directory. */
  host: string[]
  connect?: string[] | undefined
  directory: string
  /** Where the line listens at home. */
  socket: string
  /** It leads to the pipes of an agent that speaks the protocol, instead of to a terminal. Absent in older files. */
  overProtocol?: boolean | undefined
  /** `network: model-only`: what home connects to for the agent. Absent: nothing. */
  modelHosts?: string[] | undefined
  /** Only of a launch that was to continue a conversation: false, the agent started afresh. Over the protocol agh knows it. */
  resumed?: boolean | undefined
  /** null: a bare command without a workspace of its own. */
  home: HomeOfWork | null
}

/** Where the work goes at home. */
export interface HomeOfWork {
  /** The mirror: the session's worktree. */
  mirror: string
  /** The project's directory. */
  project: string
  defaultBranch: string
  branch: string
  /** The state that was sent there. */
  sent: FarWork
  /** For commands that home runs for the agent: who it is. */
  environment: Record<string, string>
  /** Directory of the wrappers. */
  bin: string
  /** What `gh` is answered for; null: the project's forge is one that gh does not know. Absent in older files. */
  forge?: GhForge | null | undefined
  /** Of untracked files that come home. Absent: the default. */
  maxUntrackedMb?: number | undefined
  /** The session's own issue. Absent in older files. */
  issue?: string | null | undefined
}

export interface GhForge {
  repository: Repository
  /** The pull requests are ao's own. */
  isLocal: boolean
  /** Labels that its agent may not set: an issue with one starts a session. Absent in older files. */
  startingLabels?: string[] | undefined
}

/** Written by the line whenever something changes. */
export interface LineState extends LineMemory {
  /** Identity of the process that keeps it. */
  line: string
  /** What home has. */
  work: FarWork | null
  workAt: number | null
  /** The mirror is being changed to this; found at a start, the change was interrupted. */
  applying: FarWork | null
  /** Which state of the agent's conversation home has. Absent: none. */
  conversation?: string | undefined
  /** Parts of the recorded terminal that were here before this launch. Absent: nothing of it came home yet. */
  recordedBefore?: number | undefined
  /** What is too large to come home. Absent in older files. */
  left?: WorkLeft | null | undefined
  /** How much of what was never committed came home. Absent in older files. */
  uncommittedBytes?: number | undefined
  /** Branches that the session made, as far as home may move them. */
  branches: string[]
  /** Branches that this session created on the remote. Absent in older files. */
  pushed?: string[] | undefined
}

const specFile = (stateDir: string, spawnId: string) => join(stateDir, `place-${spawnId}.json`)
export const stateFile = (stateDir: string, spawnId: string) => join(stateDir, `place-line-${spawnId}.json`)
/** Held while the line is kept, by the program that keeps it. */
export const lineLock = (stateDir: string, spawnId: string) => join(stateDir, `place-line-${spawnId}.lock`)

/** Of the one program that keeps all lines of a home. */
export interface LinesPaths {
  directory: string
  lock: string
  socket: string
  log: string
  /** A link for each line, named by its launch, to the session's state directory: what the next program continues with. */
  links: string
}

export function linesPaths(home: string): LinesPaths {
  const directory = join(home, '.ao', 'run')
  const at = (name: string) => join(directory, name)
  return { directory, lock: at('lines.lock'), socket: at('lines.sock'), log: at('lines.log'), links: at('lines') }
}

export function writeLineSpec(stateDir: string, spec: LineSpec): void {
  writeFileAtomic(specFile(stateDir, spec.spawnId), JSON.stringify(spec), { mode: 0o600 })
}

export function readLineSpec(stateDir: string, spawnId: string): LineSpec | null {
  return readJson<LineSpec>(specFile(stateDir, spawnId))
}

/** Of every launch in this directory that is not cleaned up yet. */
export function readAllSpecs(stateDir: string): LineSpec[] {
  const found = readdirSync(stateDir).flatMap((name) => /^place-(?!line-)(.+)\.json$/.exec(name)?.[1] ?? [])
  return found.flatMap((spawnId) => readLineSpec(stateDir, spawnId) ?? [])
}

export function writeLineState(stateDir: string, spawnId: string, state: LineState): void {
  writeFileAtomic(stateFile(stateDir, spawnId), JSON.stringify(state), { mode: 0o600 })
}

export function readLineState(stateDir: string, spawnId: string): LineState | null {
  return readJson<LineState>(stateFile(stateDir, spawnId))
}

export function removeLineFiles(stateDir: string, spawnId: string): void {
  removeFile(specFile(stateDir, spawnId))
  removeFile(stateFile(stateDir, spawnId))
  // Of a line that has ended; a symbolic link, so it is removed by its own name.
  removeFile(lineLock(stateDir, spawnId))
}

function readJson<T>(file: string): T | null {
  const text = readIfThere(file)
  return text === null ? null : (JSON.parse(text) as T)
}
