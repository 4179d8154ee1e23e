// Runs the command named by argv and ends the process with its exit code.
import { findCaller } from '../inside/find-caller.ts'
import { COMMANDS } from './ao/commands.ts'
import { takeConfigOption } from './arguments/lex-argv.ts'
import { createIo } from './io.ts'
import { permitCaller } from './permit-caller.ts'
import { run } from './run.ts'

export async function main(): Promise<void> {
  const { argv, configPath } = takeConfigOption(process.argv.slice(2))
  const io = createIo(process, { configPath })
  const code = await run(COMMANDS, argv, io, {
    ...permitCaller(findCaller(io), 'ao', io),
    findSession: async (name) => (await import('./ao/session-names.ts')).findByName(name, io),
  })
  // A plugin may have left a handle open; the command is over all the same.
  process.exit(code)
}
