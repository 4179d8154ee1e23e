// The user's own command for an agent that speaks ACP (`agentConfig.acpCommand`).
import type { AgentConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { splitCommand } from '../text/command-line.ts'

/** undefined: none is configured. An invalid one is never replaced by another. */
export function configuredAcpCommand({ acpCommand }: AgentConfig): string[] | undefined {
  if (acpCommand === undefined) return undefined
  const argv = typeof acpCommand === 'string' ? splitCommand(acpCommand) : acpCommand
  if (argv && argv.length > 0 && argv[0] !== '') return argv
  throw new AoError('CONFIG_INVALID', `agentConfig.acpCommand is not a command: ${JSON.stringify(acpCommand)}`, {
    hint: argv === null ? 'A quotation mark in it is not closed' : 'Name a program, or remove the key',
    details: { acpCommand },
  })
}
