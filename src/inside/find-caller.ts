// Who runs this command or sends this request: a person, or the agent of a session. An agent can unset or change the variables of
// its session, so its ancestor processes are checked too. One that detached itself from them looks like a person: that cannot be prevented
// for programs of the same user.

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeName } from '../contract/ids.ts'
import type { Caller } from '../core/boundary/rights.ts'
import { ancestorEnvironments } from '../lib/process/ancestor-environments.ts'
import { ownHome, resolveDataDir } from '../lib/process/own-home.ts'

export interface CallerEnvironment {
  env: NodeJS.ProcessEnv
  home: string
}

type Environments = ReadonlyArray<NodeJS.ProcessEnv>

/** null: a person, or an agent of somebody else's ao and agh, whose sessions are not here. */
export function findCaller(
  { env, home }: CallerEnvironment,
  above: Environments = ancestorEnvironments(),
): Caller | null {
  return callerAmong({ env, home }, [env, ...above])
}

/** The same for another process: `environments` are its own and those above it, and `here` is whose sessions count. */
export function callerAmong(here: CallerEnvironment, environments: Environments): Caller | null {
  const agent = aghClaim(here, environments)
  const claims = aoClaims(here, environments)
  // The outermost that is not an orchestrator's: whoever claims to be something else below it is still that.
  const session = claims.findLast(({ kind }) => kind !== 'orchestrator') ?? claims.at(-1)
  return session ? { ...session, token: agent?.token ?? null } : agent
}

function aoClaims({ env, home }: CallerEnvironment, environments: Environments): Caller[] {
  const here = dataDirectories(env, home)
  return environments.flatMap((one) => {
    const theirs = dataDirectories(one, homeOf(one, home))
    return theirs.some((directory) => here.includes(directory)) ? (readClaim(one) ?? []) : []
  })
}

function readClaim(env: NodeJS.ProcessEnv): Caller | null {
  const { AO_SESSION: sessionId, AO_CALLER_TYPE: type, AO_PROJECT_ID: projectId } = env
  if (!sessionId || !isSafeName(sessionId)) return null
  const kind = type === 'orchestrator' || type === 'reviewer' ? type : 'worker'
  return { kind, sessionId, projectId: projectId ?? null, token: null }
}

/** The outermost: what an agent sets below it changes nothing. Hooks of agh have no secret, and are a person's. */
function aghClaim({ env, home }: CallerEnvironment, environments: Environments): Caller | null {
  const here = aghHomes(env, home)
  const found = environments.findLast(
    (one) => one.AGH_SESSION_TOKEN && aghHomes(one, homeOf(one, home)).some((directory) => here.includes(directory)),
  )
  if (!found) return null
  return { kind: 'agent', sessionId: found.AGH_SESSION_ID ?? '', projectId: null, token: found.AGH_SESSION_TOKEN! }
}

function homeOf(env: NodeJS.ProcessEnv, byDefault: string): string {
  return env.HOME || env.AO_HOME ? ownHome(env) : byDefault
}

/** Where its sessions and its consents are. */
function dataDirectories(env: NodeJS.ProcessEnv, home: string): string[] {
  // HOME too: with another AO_HOME an agent is still an agent of this user.
  return [home, resolveDataDir(home, env), ...(env.AO_HOME && env.HOME ? [env.HOME] : [])].map(realIfThere)
}

function aghHomes(env: NodeJS.ProcessEnv, home: string): string[] {
  return [env.AGH_HOME || join(home, '.agh')].map(realIfThere)
}

function realIfThere(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist yet: its name has to suffice.
    return path
  }
}
