// Runs the `agh` command named by argv and ends the process with its exit code.
import { findCaller } from '../inside/find-caller.ts'
import { COMMANDS } from './agh/commands.ts'
import type { Overview } from './help.ts'
import { createIo } from './io.ts'
import { permitCaller } from './permit-caller.ts'
import { run } from './run.ts'

const OVERVIEW: Overview = {
  program: 'agh',
  about:
    'agh runs ACP agents as durable sessions: every event is kept, and a session survives its agent and its daemon.',
  firstSteps: 'agh install, then agh session new, then agh session prompt <session> "…".',
}

export async function main(): Promise<void> {
  const io = createIo(process)
  const code = await run(COMMANDS, process.argv.slice(2), io, {
    overview: OVERVIEW,
    ...permitCaller(findCaller(io), 'agh', io),
  })
  process.exit(code)
}
