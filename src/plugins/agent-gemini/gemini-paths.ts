// Where Gemini keeps its chats, and what ao writes for it.
import { join } from 'node:path'
import { objectField, textField } from '../agent-files/json-fields.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { readTextTail } from '../agent-files/read-text.ts'

const MAX_PROJECTS_BYTES = 8 * 1024 * 1024

/** `~/.gemini`; what the session's own configuration sets wins over the user's environment. */
export function geminiDir(home: string, env: NodeJS.ProcessEnv, own: Record<string, string> = {}): string {
  return join(own.GEMINI_CLI_HOME || env.GEMINI_CLI_HOME || home, '.gemini')
}

/** Where the chats of a workspace are: `projects.json` has a name for each path. */
export async function chatDirs(dir: string, workspacePath: string): Promise<string[]> {
  const projects = await readProjects(dir)
  const names = pathAndTarget(workspacePath).flatMap((path) => textField(projects, path) ?? [])
  return names.filter(isPlainName).map((name) => join(dir, 'tmp', name, 'chats'))
}

export const stateFiles = {
  /** A task too long for an argument. */
  longPrompt: (stateDir: string) => join(stateDir, 'gemini-task.md'),
}

async function readProjects(dir: string): Promise<unknown> {
  const file = await readTextTail(join(dir, 'projects.json'), MAX_PROJECTS_BYTES)
  try {
    return objectField(JSON.parse(file?.text ?? 'null'), 'projects')
  } catch {
    // Half of it: the next look will tell.
    return null
  }
}

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/')
}
