// Two homes that are usually one: below ao's own lies everything that ao keeps, in the user's own other programs have their files.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** What ao makes in a home. One of them there: this home is in use, and stays so. */
const OWN_DIRECTORIES = ['.ao', '.agent-orchestrator', '.agh']

/** `AO_HOME`, or a directory in `XDG_DATA_HOME` where that is set and nothing lies in the home yet, or the home itself. */
export function ownHome(env: NodeJS.ProcessEnv): string {
  if (env.AO_HOME) return env.AO_HOME
  const home = env.HOME || homedir()
  const xdg = env.XDG_DATA_HOME
  if (!xdg || !isAbsolute(xdg)) return home
  const apart = join(xdg, 'ao-fleet')
  if (existsSync(apart)) return apart
  return OWN_DIRECTORIES.some((name) => existsSync(join(home, name))) ? home : apart
}

/** Where `~` leads and agents keep their files. A home that a caller has chosen itself is both. */
export function userHome(home: string, env: NodeJS.ProcessEnv = process.env): string {
  return env.HOME && home === ownHome(env) ? env.HOME : home
}
