// Where Codex keeps its files, as of 0.166: nothing is read or created here.
import { join } from 'node:path'

/** `CODEX_HOME`, or `~/.codex`. The configuration's own environment for the agent wins. */
export function codexHome(home: string, env: NodeJS.ProcessEnv, ofConfig: Record<string, string> = {}): string {
  return ofConfig.CODEX_HOME || env.CODEX_HOME || join(home, '.codex')
}

export const codexFiles = {
  /** `YYYY/MM/DD/rollout-<local time>-<thread id>.jsonl` */
  sessions: (codexHomeDir: string) => join(codexHomeDir, 'sessions'),
  archived: (codexHomeDir: string) => join(codexHomeDir, 'archived_sessions'),
}

/** Files that ao keeps for this agent, outside the workspace. */
export const stateFiles = {
  record: (stateDir: string) => join(stateDir, 'codex.json'),
  rollout: (stateDir: string) => join(stateDir, 'codex-rollout.json'),
  prompt: (stateDir: string) => join(stateDir, 'codex-prompt.md'),
}

const ROLLOUT = /^rollout-.*?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/

/** The thread id in the name of a rollout file; null when it is no such file. */
export function threadIdOf(fileName: string): string | null {
  return ROLLOUT.exec(fileName)?.[1] ?? null
}
