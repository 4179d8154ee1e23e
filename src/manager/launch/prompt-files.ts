// The task of a session and its rules, as files. Apart from the launch, because every list of sessions loads this.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere, readPlainText } from '../../lib/plain-file.ts'

export const PROMPT_FILE = 'prompt.md'
export const SYSTEM_PROMPT_FILE = 'system-prompt.md'

/** The composed prompt is kept, so that a fresh start after a crash sends exactly the same. */
export function savePrompt(stateDir: string, prompt: string | null): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (prompt !== null) writeFileAtomic(join(stateDir, PROMPT_FILE), prompt)
}

export function readPrompt(stateDir: string): string | null {
  return readIfThere(join(stateDir, PROMPT_FILE))
}

export function saveSystemPrompt(stateDir: string, systemPrompt: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, SYSTEM_PROMPT_FILE), systemPrompt)
}

/** Rules from the configuration and from the project's rules file; a missing file is an error, not silently ignored. */
export function projectRules(project: ProjectConfig): string[] {
  const rules = project.agentRules ? [project.agentRules] : []
  if (project.agentRulesFile === undefined) return rules
  const file = resolve(project.path, project.agentRulesFile)
  try {
    return [...rules, readPlainText(file)]
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `agentRulesFile of project ${project.id} cannot be read: ${errorText(error)}`, {
      details: { file },
      cause: error,
    })
  }
}
