// The argv that starts Aider. Pure. The task is not in it: with `--message` Aider would answer once and end.
import { join } from 'node:path'
import type { AgentLaunch } from '../../slots/agent.ts'
import { programWords } from '../agent-files/program-words.ts'
import { stateFiles } from './aider-paths.ts'

/** Each of these would otherwise ask something at the start, or about a link in the task. */
const NO_DIALOGS = [
  '--no-check-update',
  '--no-show-release-notes',
  '--no-show-model-warnings',
  '--no-gitignore',
  '--no-detect-urls',
  '--analytics-disable',
]

export function launchCommand(launch: AgentLaunch): string[] {
  return [
    ...programWords(launch.config, 'aider'),
    ...NO_DIALOGS,
    '--chat-history-file',
    stateFiles.chat(launch.stateDir),
    '--input-history-file',
    stateFiles.input(launch.stateDir),
    // Aider edits without asking in every mode; this answers its other questions.
    ...(launch.permissions === 'skip' ? ['--yes-always'] : []),
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    '--read',
    join(launch.workspacePath, '.ao', 'AGENTS.md'),
    ...(launch.systemPromptFile === undefined ? [] : ['--read', launch.systemPromptFile]),
    ...(launch.config.args ?? []),
  ]
}
