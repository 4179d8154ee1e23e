// Who runs this command: a person, or the agent of a session. An agent can unset or change the variables of its session, so
// its ancestor processes are checked too. One that detached itself from them looks like a person: that cannot be prevented
// for programs of the same user.

import { realpathSync } from 'node:fs'
import { isSafeName } from '../contract/ids.ts'
import type { Caller } from '../core/session/caller-rights.ts'
import { ancestorEnvironments } from '../lib/process/ancestor-environments.ts'
import { ownHome } from '../lib/process/own-home.ts'
import { resolveDataDir } from '../store/paths.ts'

export interface CallerPlace {
  env: NodeJS.ProcessEnv
  home: string
}

/** null: a person, or an agent of somebody else's ao, whose sessions are not here. */
export function findCaller(
  { env, home }: CallerPlace,
  above: ReadonlyArray<NodeJS.ProcessEnv> = ancestorEnvironments(),
): Caller | null {
  const here = places(env, home)
  const claims = [env, ...above].flatMap((one) => {
    const theirs = places(one, one.HOME || one.AO_HOME ? ownHome(one) : home)
    return theirs.some((place) => here.includes(place)) ? (readClaim(one) ?? []) : []
  })
  // A worker that claims to be an orchestrator is a worker.
  return claims.findLast(({ role }) => role === 'worker') ?? claims.at(-1) ?? null
}

function readClaim(env: NodeJS.ProcessEnv): Caller | null {
  const { AO_SESSION: sessionId, AO_CALLER_TYPE: type, AO_PROJECT_ID: projectId } = env
  if (!sessionId || !isSafeName(sessionId)) return null
  return { sessionId, role: type === 'orchestrator' ? 'orchestrator' : 'worker', projectId: projectId ?? null }
}

/** Where its sessions and its consents are. */
function places(env: NodeJS.ProcessEnv, home: string): string[] {
  // HOME too: with another AO_HOME an agent is still an agent of this user.
  return [home, resolveDataDir(home, env), ...(env.AO_HOME && env.HOME ? [env.HOME] : [])].map(realIfThere)
}

function realIfThere(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist yet: its name has to suffice.
    return path
  }
}
