// Runs the command that argv names and ends the process with its exit code.
import { COMMANDS } from './ao/commands.ts'
import { createIo } from './io.ts'
import { run } from './run.ts'
import { takeConfigOption } from './take-config-option.ts'

export async function main(): Promise<void> {
  const { argv, configPath } = takeConfigOption(process.argv.slice(2))
  const code = await run(COMMANDS, argv, createIo(process, { configPath }))
  // A plugin may have left a handle open; the command is over all the same.
  process.exit(code)
}
