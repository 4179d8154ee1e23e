// The first words of an agent's command. Pure.
import type { AgentConfig } from '../../contract/config.ts'

/** The configuration may name a different program. */
export function programArgv(config: AgentConfig, usual: string): string[] {
  const { command } = config
  if (Array.isArray(command) && command.length > 0) return command
  return [typeof command === 'string' && command !== '' ? command : usual]
}
