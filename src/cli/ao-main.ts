// Runs the command that argv names and ends the process with its exit code.
import { COMMANDS } from './ao/commands.ts'
import { createIo } from './io.ts'
import { run } from './run.ts'

void main()

async function main(): Promise<void> {
  process.exitCode = await run(COMMANDS, process.argv.slice(2), createIo(process))
  // A plugin may have left a handle open; what was written must reach its reader first.
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}
