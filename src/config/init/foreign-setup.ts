// How a repository prepares and tears down worktrees for another tool, taken over by `ao init`: Conductor, Superset, Emdash and
// Cursor. Nothing of it runs before the user agrees, as with every postCreate and preRemove.
import { join } from 'node:path'
import { readIfReachable } from '../../lib/plain-file.ts'

export interface ForeignSetup {
  /** The file it is from. */
  file: string
  postCreate: string[]
  preRemove: string[]
}

interface Tool {
  file: string
  setup: readonly string[]
  teardown: readonly string[]
  /** What its scripts expect in their environment, in ao's words. */
  variables: Readonly<Record<string, string>>
}

const TOOLS: readonly Tool[] = [
  {
    file: 'conductor.json',
    setup: ['scripts', 'setup'],
    teardown: ['scripts', 'archive'],
    variables: {
      CONDUCTOR_ROOT_PATH: '$AO_PROJECT_PATH',
      CONDUCTOR_WORKSPACE_PATH: '$AO_WORKSPACE_PATH',
      CONDUCTOR_WORKSPACE_NAME: '$AO_SESSION',
      CONDUCTOR_DEFAULT_BRANCH: '$AO_BASE_BRANCH',
      CONDUCTOR_PORT: '$AO_SESSION_PORT',
    },
  },
  {
    file: '.superset/config.json',
    setup: ['setup'],
    teardown: ['teardown'],
    variables: { SUPERSET_ROOT_PATH: '$AO_PROJECT_PATH', SUPERSET_WORKSPACE_NAME: '$AO_SESSION' },
  },
  {
    file: '.emdash.json',
    setup: ['scripts', 'setup'],
    teardown: ['scripts', 'teardown'],
    variables: {
      EMDASH_ROOT_PATH: '$AO_PROJECT_PATH',
      EMDASH_TASK_PATH: '$AO_WORKSPACE_PATH',
      EMDASH_TASK_NAME: '$AO_SESSION',
      EMDASH_PORT: '$AO_SESSION_PORT',
    },
  },
  {
    file: '.cursor/worktrees.json',
    setup: ['setup-worktree'],
    teardown: [],
    variables: { ROOT_WORKTREE_PATH: '$AO_PROJECT_PATH' },
  },
]

const LARGEST = 64 * 1024
const MOST_COMMANDS = 50

/** The first of them that says something; null: none. */
export function findForeignSetup(root: string): ForeignSetup | null {
  for (const { file, setup, teardown, variables } of TOOLS) {
    const content = readContent(join(root, file))
    const [postCreate, preRemove] = [setup, teardown].map((path) => commandsAt(content, path))
    if (postCreate!.length + preRemove!.length === 0) continue
    const withVariables = (command: string) => `${exports(variables)}; ${command}`
    return { file, postCreate: postCreate!.map(withVariables), preRemove: preRemove!.map(withVariables) }
  }
  return null
}

function exports(variables: Tool['variables']): string {
  return `export ${Object.entries(variables)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')}`
}

/** Not there, not readable or not JSON: nothing to take over. */
function readContent(path: string): unknown {
  try {
    return JSON.parse(readIfReachable(path, { maxBytes: LARGEST }) ?? 'null')
  } catch {
    return null
  }
}

/** One command or a list of them. */
function commandsAt(content: unknown, path: readonly string[]): string[] {
  if (path.length === 0) return []
  let value = content
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return []
    value = (value as Record<string, unknown>)[key]
  }
  const list = Array.isArray(value) ? value : [value]
  return list.filter((one): one is string => typeof one === 'string' && one.trim() !== '').slice(0, MOST_COMMANDS)
}
