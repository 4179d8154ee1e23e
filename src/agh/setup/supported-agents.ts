// The ACP agents that `agh install` searches for, in order of preference for `general`.
import { basename } from 'node:path'
import { AGENT_TABLE, type AgentRow, howToInstall } from '../../contract/agents/agent-table.ts'
import { findExecutable } from '../../lib/find-executable.ts'

export interface SupportedAgent {
  name: string
  command: readonly [program: string, ...args: string[]]
  /** npm package that brings the program; null: it comes another way. */
  package: string | null
  /** How a person gets it. */
  install: string
  /** What it must not do through agh. */
  avoids: Partial<ClientTools> | undefined
}

/** What an agent may do through agh. A disabled method is not offered; the agent then works on the disk directly. */
export interface ClientTools {
  read: boolean
  write: boolean
  terminal: boolean
}

const ALL: ClientTools = { read: true, write: true, terminal: true }

/** The rows of the table that speak ACP. */
export const SUPPORTED_AGENTS: readonly SupportedAgent[] = AGENT_TABLE.flatMap((row) => {
  if (!row.acp) return []
  const source = row.acpPackage ?? row.package ?? null
  return [
    { name: row.acpName ?? row.name, command: row.acp, package: source, install: howToGet(row), avoids: row.avoids },
  ]
})

function howToGet(row: AgentRow): string {
  return row.acpPackage === undefined ? howToInstall(row) : `npm install --global ${row.acpPackage}`
}

/** The program may be given by path, or run by an interpreter or npx. */
export function clientToolsOf(command: readonly string[]): ClientTools {
  const names = command.slice(0, 3).flatMap((word) => [word, basename(word)])
  const row = SUPPORTED_AGENTS.find(
    (agent) => names.includes(agent.command[0]) || (agent.package !== null && names.includes(agent.package)),
  )
  return { ...ALL, ...row?.avoids }
}

export interface FoundAgent {
  name: string
  command: readonly string[]
  via: 'path' | 'npx'
}

export interface Search {
  found: FoundAgent[]
  /** Not installed; npx could fetch them. */
  offered: SupportedAgent[]
}

/** Nothing is fetched here: with `useNpx` the commands make npx fetch them when they run. */
export function searchAgents(agents: readonly SupportedAgent[], env: NodeJS.ProcessEnv, useNpx: boolean): Search {
  const isHere = ({ command }: SupportedAgent) => findExecutable(command[0], { env }) !== null
  const here = agents.filter(isHere)
  const offered =
    findExecutable('npx', { env }) === null ? [] : agents.filter((agent) => agent.package !== null && !isHere(agent))
  const found = here.map(({ name, command }): FoundAgent => ({ name, command, via: 'path' }))
  if (!useNpx) return { found, offered }
  return { found: [...found, ...offered.map(throughNpx)], offered: [] }
}

function throughNpx({ name, command, package: source }: SupportedAgent): FoundAgent {
  return { name, command: ['npx', '-y', source ?? command[0], ...command.slice(1)], via: 'npx' }
}
