// Two homes that are usually one: ao's own, with everything that ao keeps, and the user's, with the files of other
// programs; and the directory of ao's data in the first.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

/** What ao creates in a home. If one of them exists, this home is in use, and stays so. */
const OWN_DIRECTORIES = ['.ao', '.agent-orchestrator', '.agh']

/** `AO_HOME`, or a directory in `XDG_DATA_HOME` where that is set and the home has no data yet, or the home itself. */
export function ownHome(env: NodeJS.ProcessEnv): string {
  if (env.AO_HOME) return env.AO_HOME
  const home = env.HOME || homedir()
  const xdg = env.XDG_DATA_HOME
  if (!xdg || !isAbsolute(xdg)) return home
  const apart = join(xdg, 'ao-fleet')
  if (existsSync(apart)) return apart
  return OWN_DIRECTORIES.some((name) => existsSync(join(home, name))) ? home : apart
}

/** Where `~` points and agents keep their files. A home chosen by the caller is both. */
export function userHome(home: string, env: NodeJS.ProcessEnv = process.env): string {
  return env.HOME && home === ownHome(env) ? env.HOME : home
}

/** For `ao` itself AO_DATA_DIR is the base; inside a session it is the project's `sessions/`, recognized by its suffix. */
export function resolveDataDir(home: string, env: NodeJS.ProcessEnv): string {
  const given = env.AO_DATA_DIR
  if (!given) return join(home, '.agent-orchestrator')
  const absolute = resolve(given)
  return basename(absolute) === 'sessions' ? dirname(dirname(absolute)) : absolute
}
