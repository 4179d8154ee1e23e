// The first words of an agent's command, and the maximum length of a word. Pure.
import type { AgentConfig } from '../../contract/config.ts'

/** The configuration may name a different program. */
export function programArgv(config: AgentConfig, usual: string): string[] {
  const { command } = config
  if (Array.isArray(command) && command.length > 0) return command
  return [typeof command === 'string' && command !== '' ? command : usual]
}

/** One argument may have at most 128 KiB on Linux; this leaves room. */
const MAX_ARGUMENT_BYTES = 120_000

export function fitsArgument(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES
}
