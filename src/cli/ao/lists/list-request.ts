// What a command sends to a running loop of its user to get a list that is printed already, and how both know that they would
// print the same.
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { sha256Hex } from '../../../lib/sha256-hex.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import type { SessionListOptions } from './session-list.ts'

export type RequestedList =
  | { command: 'session ls'; options: SessionListOptions }
  | { command: 'status'; options: { project?: string | undefined; json: boolean; line?: boolean } }

export type ListRequest = RequestedList & {
  /** Of `likeness`. */
  likeness: string
  /** null: nothing is cut. */
  width: number | null
  colour: boolean
  isTerminal: boolean
}

export const LISTS_PATH = '/lists'

/** Where agents and runtimes keep what is read about them. */
const VARIABLES = [
  'HOME',
  'AO_HOME',
  'AO_DATA_DIR',
  'AO_GLOBAL_CONFIG',
  'AGH_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'CODEX_CONFIG',
  'COPILOT_HOME',
  'GEMINI_CLI_HOME',
  'PI_CODING_AGENT_DIR',
  'QWEN_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'TMUX_TMPDIR',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'KUBECONFIG',
  'TZ',
] as const

/** The same in two processes that are of one version, have the same configuration in effect and find the same files. */
export function likeness(config: OrchestratorConfig, env: NodeJS.ProcessEnv): string {
  const values = VARIABLES.map((name) => env[name] ?? null)
  return sha256Hex(JSON.stringify([AO_VERSION, config, values]))
}
