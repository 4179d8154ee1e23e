// The task of a session as files. Apart from the launch, because every list of sessions loads this.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ATTACHMENTS } from '../../contract/agh/attachment.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'

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

/** After a start that did not succeed. `waits`: it is started again later, and nobody has the files of its prompt but this directory. */
export function removeState(stateDir: string, { waits }: { waits: boolean }): void {
  const gone = waits ? namesIn(stateDir).filter((name) => name !== ATTACHMENTS) : ['.']
  for (const name of gone) rmSync(join(stateDir, name), { recursive: true, force: true })
}

export function saveSystemPrompt(stateDir: string, systemPrompt: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, SYSTEM_PROMPT_FILE), systemPrompt)
}
