// Where OpenCode keeps its records, and what ao writes for it.
import { isAbsolute, join } from 'node:path'

/** `$XDG_DATA_HOME/opencode`; what the session's own configuration sets wins over the user's environment. */
export function opencodeDataDir(home: string, env: NodeJS.ProcessEnv, own: Record<string, string> = {}): string {
  const base = own.XDG_DATA_HOME ?? env.XDG_DATA_HOME
  // The standard says to ignore a relative one.
  return join(base && isAbsolute(base) ? base : join(home, '.local', 'share'), 'opencode')
}

export const opencodeFiles = {
  database: (dataDir: string) => join(dataDir, 'opencode.db'),
  /** Written on every change, long before the database file itself. */
  wal: (dataDir: string) => join(dataDir, 'opencode.db-wal'),
  log: (dataDir: string) => join(dataDir, 'log', 'opencode.log'),
}

export const stateFiles = {
  config: (stateDir: string) => join(stateDir, 'opencode.json'),
  /** A task too long for an argument, read as an instruction file. */
  longPrompt: (stateDir: string) => join(stateDir, 'opencode-task.md'),
}
