// Who acts on the local forge: the session this environment belongs to, else the user of this machine.
import { userInfo } from 'node:os'
import { isSafeName } from '../contract/ids.ts'

export function localAuthor(env: NodeJS.ProcessEnv): string {
  const session = sessionOf(env)
  if (session !== null) return session
  return env.USER || env.LOGNAME || systemUser()
}

/** null: not inside a session. */
export function sessionOf(env: NodeJS.ProcessEnv): string | null {
  const session = env.AO_SESSION
  return session && isSafeName(session) ? session : null
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container's user need not have a name.
    return 'user'
  }
}
