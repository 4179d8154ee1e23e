// What the argv of an agent says besides its launch, and the file for a task that is too long for an argument.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TerminalCommand } from '../../contract/agents/agent-table.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { firstMessage, type LaunchFacts } from './launch-argv.ts'

export function factsOf(name: string, { stateDir, systemPromptFile }: AgentLaunch, id: string | null): LaunchFacts {
  return {
    id,
    instructions: systemPromptFile === undefined ? null : readPlainText(systemPromptFile),
    longPromptFile: join(stateDir, `${name}-task.md`),
  }
}

export function keepLongPrompt(name: string, terminal: TerminalCommand, launch: AgentLaunch): void {
  mkdirSync(launch.stateDir, { recursive: true, mode: 0o700 })
  const facts = factsOf(name, launch, null)
  const message = firstMessage(terminal, launch, facts)
  if (message !== null && !fitsArgument(message)) {
    writeFileAtomic(facts.longPromptFile, message, { isForeign: true })
  }
}
