// The ACP agents that `agh install` looks for, in the order of preference for `general`.
import { basename } from 'node:path'
import { findExecutable } from '../../lib/find-executable.ts'

export interface KnownAgent {
  name: string
  command: readonly [program: string, ...args: string[]]
  /** npm package that brings the program. */
  package: string
  /** What it must not do through agh. */
  avoids?: Partial<ClientTools>
}

/** What an agent may do through agh. A method that is switched off is not offered; the agent then works on the disk itself. */
export interface ClientTools {
  read: boolean
  write: boolean
  terminal: boolean
}

const ALL: ClientTools = { read: true, write: true, terminal: true }

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  { name: 'claude', command: ['claude-agent-acp'], package: '@agentclientprotocol/claude-agent-acp' },
  { name: 'codex', command: ['codex-acp'], package: '@agentclientprotocol/codex-acp' },
  { name: 'opencode', command: ['opencode', 'acp'], package: 'opencode-ai' },
  {
    name: 'gemini',
    command: ['gemini', '--acp'],
    package: '@google/gemini-cli',
    // Its library loses the reason of a read that fails (seen with 0.61.0): a file that does not exist could not be created.
    avoids: { read: false },
  },
  { name: 'qwen', command: ['qwen', '--acp'], package: '@qwen-code/qwen-code' },
]

/** The program may be named by a path, or stand behind an interpreter or npx. */
export function clientToolsOf(command: readonly string[]): ClientTools {
  const words = command.slice(0, 3).flatMap((word) => [word, basename(word)])
  const known = KNOWN_AGENTS.find((agent) => words.includes(agent.command[0]) || words.includes(agent.package))
  return { ...ALL, ...known?.avoids }
}

export interface FoundAgent {
  name: string
  command: readonly string[]
  via: 'path' | 'npx'
}

export interface Search {
  found: FoundAgent[]
  /** Not here; npx could fetch them. */
  offered: KnownAgent[]
}

/** Nothing is fetched here: with `useNpx` the commands say that npx does so when they run. */
export function searchAgents(agents: readonly KnownAgent[], env: NodeJS.ProcessEnv, useNpx: boolean): Search {
  const isHere = ({ command }: KnownAgent) => findExecutable(command[0], { env }) !== null
  const here = agents.filter(isHere)
  const offered = findExecutable('npx', { env }) === null ? [] : agents.filter((agent) => !isHere(agent))
  const found = here.map(({ name, command }): FoundAgent => ({ name, command, via: 'path' }))
  if (!useNpx) return { found, offered }
  return { found: [...found, ...offered.map(throughNpx)], offered: [] }
}

function throughNpx({ name, command, package: source }: KnownAgent): FoundAgent {
  return { name, command: ['npx', '-y', source, ...command.slice(1)], via: 'npx' }
}
