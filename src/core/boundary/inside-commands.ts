// What a caller inside a session may run of `ao` and `agh`: one row for each command, a column for each kind of caller. A person
// outside of sessions may run all of them. A command that is not in the table is refused: a new one has to be considered
// first, and a test compares the tables with those of the programs. The MCP tools are commands, and have their rights.
import type { Role } from '../session/resolve-launch.ts'

/** `agent`: of a session that agh has and ao does not. */
export type CallerKind = Role | 'agent'

export interface Caller {
  kind: CallerKind
  /** Of ao; for `agent`: of agh. */
  sessionId: string
  projectId: string | null
  /** The secret of its agh session, if it has one: the daemon knows the session by it. */
  token: string | null
}

/**
 * own: only with its own session named. family: its own session, and those that it spawned. children: only the latter. agh's
 * daemon knows who spawned whom and decides these two.
 */
export type Right = 'yes' | 'own' | 'family' | 'children' | 'no'
export type Rights = Readonly<Record<CallerKind, Right>>
type Program = 'ao' | 'agh'

const row = (worker: Right, orchestrator: Right, agent: Right): Rights => ({ worker, orchestrator, agent })
const EVERYONE = row('yes', 'yes', 'yes')
const OWN_SESSION = row('own', 'yes', 'no')
const ORCHESTRATOR = row('no', 'yes', 'no')
const PERSON = row('no', 'no', 'no')
/** Of ao's sessions: an agent that only agh knows is in none. */
const IN_A_SESSION = row('yes', 'yes', 'no')
/** Reads one session of agh. */
const READ = row('family', 'yes', 'family')
/** Acts on one session of agh. Sessions of ao are reached through ao. */
const ACT = row('no', 'no', 'children')

const AO: Readonly<Record<string, Rights>> = {
  start: PERSON,
  stop: PERSON,
  dashboard: PERSON,
  init: PERSON,
  spawn: ORCHESTRATOR,
  'batch-spawn': ORCHESTRATOR,
  orchestrator: PERSON,
  status: ORCHESTRATOR,
  'session ls': ORCHESTRATOR,
  'session show': OWN_SESSION,
  'session diff': OWN_SESSION,
  'session transcript': OWN_SESSION,
  'session log': OWN_SESSION,
  'session wait': ORCHESTRATOR,
  'session attach': PERSON,
  'session approve': PERSON,
  'session deny': PERSON,
  open: PERSON,
  events: OWN_SESSION,
  logs: PERSON,
  radar: ORCHESTRATOR,
  simulate: PERSON,
  why: OWN_SESSION,
  send: ORCHESTRATOR,
  'session rename': PERSON,
  'session budget': PERSON,
  cost: PERSON,
  'session done': PERSON,
  'session snooze': PERSON,
  'session interrupt': PERSON,
  'session messages': PERSON,
  'session retry': PERSON,
  'session rules': PERSON,
  next: PERSON,
  'session kill': PERSON,
  'session restore': PERSON,
  'session cleanup': PERSON,
  'session pause': PERSON,
  'session move': PERSON,
  'session switch': PERSON,
  'session export': PERSON,
  'session import': PERSON,
  'session claim-pr': row('own', 'no', 'no'),
  'issue new': ORCHESTRATOR,
  'issue ls': EVERYONE,
  'issue show': EVERYONE,
  'issue edit': PERSON,
  'issue close': PERSON,
  'issue reopen': PERSON,
  'issue comment': IN_A_SESSION,
  'pr ls': EVERYONE,
  'pr view': EVERYONE,
  'pr diff': EVERYONE,
  'pr checks': EVERYONE,
  'pr review': PERSON,
  'pr comment': IN_A_SESSION,
  'pr reply': IN_A_SESSION,
  'pr resolve': PERSON,
  'pr merge': PERSON,
  'pr close': PERSON,
  'pr reopen': PERSON,
  'land ls': EVERYONE,
  'land add': PERSON,
  'land remove': PERSON,
  'land pause': PERSON,
  'land resume': PERSON,
  verify: PERSON,
  'config show': EVERYONE,
  'config schema': EVERYONE,
  'config validate': EVERYONE,
  'config set': PERSON,
  'config unset': PERSON,
  'config undo': PERSON,
  'config relink': PERSON,
  'config trust': PERSON,
  'plugin ls': EVERYONE,
  'place ls': PERSON,
  'place test': PERSON,
  'place drain': PERSON,
  'feedback new': IN_A_SESSION,
  'feedback ls': ORCHESTRATOR,
  'feedback show': ORCHESTRATOR,
  'device ls': PERSON,
  'device add': PERSON,
  'device revoke': PERSON,
  doctor: PERSON,
  'service install': PERSON,
  'service uninstall': PERSON,
  'service status': PERSON,
  version: EVERYONE,
  openapi: EVERYONE,
  mcp: IN_A_SESSION,
  completion: EVERYONE,
  gh: IN_A_SESSION,
  __complete: EVERYONE,
  __docs: EVERYONE,
}

const AGH: Readonly<Record<string, Rights>> = {
  install: PERSON,
  'agent list': EVERYONE,
  'agent info': EVERYONE,
  doctor: PERSON,
  completion: EVERYONE,
  version: EVERYONE,
  openapi: EVERYONE,
  'daemon start': PERSON,
  'daemon restart': PERSON,
  'daemon stop': PERSON,
  'daemon status': EVERYONE,
  'observe health': ORCHESTRATOR,
  run: PERSON,
  'session new': PERSON,
  'session list': row('no', 'yes', 'family'),
  'session status': READ,
  'session prompt': ACT,
  // Reads it, too; for a change the daemon wants a child.
  'session queue': row('no', 'no', 'family'),
  'session retry': ACT,
  'session cancel': ACT,
  'session attach': PERSON,
  'session approve': PERSON,
  'session rules': PERSON,
  'session wait': READ,
  'session set': PERSON,
  'session stop': ACT,
  'session resume': ACT,
  'session events': READ,
  'session history': READ,
  'session usage': READ,
  'session hooks': READ,
  'session repair': PERSON,
  'session health': READ,
  'session inspect': READ,
  'session wake': ACT,
  spawn: row('no', 'no', 'yes'),
  'task create': PERSON,
  'task list': row('no', 'yes', 'yes'),
  'task info': row('no', 'yes', 'yes'),
  'task run': PERSON,
  'task remove': PERSON,
  'workspace add': PERSON,
  'workspace list': EVERYONE,
  'workspace info': EVERYONE,
  'workspace remove': PERSON,
  __complete: EVERYONE,
  __docs: EVERYONE,
}

export const INSIDE_COMMANDS: Readonly<Record<Program, Readonly<Record<string, Rights>>>> = { ao: AO, agh: AGH }

export interface CommandRequest {
  program: Program
  /** By its name in the table, not as it was typed. */
  command: string
  /** The session that the command names. */
  session?: string | undefined
}

/** null: allowed, as far as the command line can decide it. Otherwise the reason. */
export function refuseCommand(caller: Caller, { program, command, session }: CommandRequest): string | null {
  const rows = INSIDE_COMMANDS[program]
  const right = Object.hasOwn(rows, command) ? rows[command]![caller.kind] : 'no'
  const name = CALLER_NAMES[caller.kind]
  if (right === 'yes') return null
  if (right === 'no') return `${program} ${command} is not for ${name}`
  if (right === 'own') {
    return session === caller.sessionId
      ? null
      : `${program} ${command} is for ${name} only with its own session, ${caller.sessionId}`
  }
  return caller.token === null ? `${program} ${command} is not for ${name} that agh does not run` : null
}

export const CALLER_NAMES: Readonly<Record<CallerKind, string>> = {
  worker: 'the agent of a session',
  orchestrator: 'an orchestrator',
  agent: 'the agent of a session',
}

/** What to do instead of a command that is refused. */
export function insteadOf(program: Program, command: string, { kind }: Caller): string | undefined {
  const starts = program === 'agh' && (command === 'session new' || command === 'run')
  return starts && kind === 'agent' ? 'Start a child of this session with: agh spawn --ttl 30m' : undefined
}
