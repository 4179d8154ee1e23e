// What `ao` does for an agent inside a session, and what only a person may request. A command that is not in the table is
// refused: a new one has to be considered first.
import type { Role } from './resolve-launch.ts'

export interface Caller {
  sessionId: string
  role: Role
  projectId: string | null
}

/** own: only with its own session named. */
export type Right = 'yes' | 'own' | 'no'

const EVERYONE = { worker: 'yes', orchestrator: 'yes' } as const
const OWN_SESSION = { worker: 'own', orchestrator: 'yes' } as const
const ORCHESTRATOR = { worker: 'no', orchestrator: 'yes' } as const
const PERSON = { worker: 'no', orchestrator: 'no' } as const

export const CALLER_RIGHTS: Readonly<Record<string, Readonly<Record<Role, Right>>>> = {
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
  'session claim-pr': { worker: 'own', orchestrator: 'no' },
  'issue new': ORCHESTRATOR,
  'issue ls': EVERYONE,
  'issue show': EVERYONE,
  'issue edit': PERSON,
  'issue close': PERSON,
  'issue reopen': PERSON,
  'issue comment': EVERYONE,
  'pr ls': EVERYONE,
  'pr view': EVERYONE,
  'pr diff': EVERYONE,
  'pr checks': EVERYONE,
  'pr review': PERSON,
  'pr comment': EVERYONE,
  'pr reply': EVERYONE,
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
  'feedback new': EVERYONE,
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
  mcp: EVERYONE,
  completion: EVERYONE,
  gh: EVERYONE,
  __complete: EVERYONE,
  __docs: EVERYONE,
}

/** For `agh`: commands that affect other sessions, whoever started them. */
export const AGH_FOR_PEOPLE: ReadonlySet<string> = new Set([
  'daemon stop',
  'session approve',
  'session queue',
  'session retry',
  'session rules',
])

/** null: allowed. Otherwise the reason. `session`: the one that the command names. */
export function refuseCaller(caller: Caller, command: string, session: string | undefined): string | null {
  const right = Object.hasOwn(CALLER_RIGHTS, command) ? CALLER_RIGHTS[command]![caller.role] : 'no'
  if (right === 'yes') return null
  if (right === 'no') return `ao ${command} is not for ${NAMES[caller.role]}`
  if (session === caller.sessionId) return null
  return `ao ${command} is for ${NAMES[caller.role]} only with its own session, ${caller.sessionId}`
}

const NAMES: Readonly<Record<Role, string>> = { worker: 'the agent of a session', orchestrator: 'an orchestrator' }
