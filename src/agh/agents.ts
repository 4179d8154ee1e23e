// Which program an agent's name stands for: `~/.agh/agents/<name>/AGENT.md`, or the demo agent for `general`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { PERMISSION_MODES, type PermissionMode } from '../contract/agh/words.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { isSafeName } from '../contract/ids.ts'
import { splitCommand } from '../core/agh/split-command.ts'
import { findExecutable } from '../lib/find-executable.ts'
import type { AghPaths } from './paths.ts'

export interface AgentDefinition {
  name: string
  command: string[]
  permissions: PermissionMode | null
}

export const DEFAULT_AGENT = 'general'

const frontMatterSchema = z.strictObject({
  name: z.optional(z.string()),
  command: z.union([z.string(), z.array(z.string()).check(z.minLength(1))]),
  permissions: z.optional(z.enum(PERMISSION_MODES)),
})

export async function findAgent(
  context: { paths: AghPaths; env: NodeJS.ProcessEnv },
  name: string,
): Promise<AgentDefinition> {
  const definition = await readDefinition(context.paths, name)
  if (!definition) {
    if (name === DEFAULT_AGENT) return { name, command: demoCommand(), permissions: null }
    throw new AoError('AGENT_NOT_FOUND', `There is no agent ${name}`, {
      hint: `Describe it in ${join(context.paths.agents, name, 'AGENT.md')}`,
      details: { agent: name },
    })
  }
  const program = definition.command[0]!
  if (findExecutable(program, { env: context.env })) return definition
  throw new AoError('TOOL_MISSING', `The agent ${name} needs ${program}, which is not on the PATH`, {
    hint: `Install it, or change the command in ${agentFile(context.paths, name)}`,
  })
}

export function listAgentNames(paths: AghPaths): string[] {
  try {
    return [...new Set([DEFAULT_AGENT, ...readdirSync(paths.agents).filter(isSafeName)])].sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [DEFAULT_AGENT]
    throw error
  }
}

export function agentFile(paths: AghPaths, name: string): string {
  return join(paths.agents, name, 'AGENT.md')
}

async function readDefinition(paths: AghPaths, name: string): Promise<AgentDefinition | null> {
  if (!isSafeName(name)) return null
  const file = agentFile(paths, name)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return await parseDefinition(name, file, text)
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `${file} is wrong: ${errorText(error)}`, {
      hint: 'Correct the file',
      cause: error,
    })
  }
}

async function parseDefinition(name: string, file: string, text: string): Promise<AgentDefinition> {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\s*(?:\n|$)/.exec(text)
  if (!match) throw new Error('it must begin with front matter between two lines ---')
  const { parseYaml } = await import('../config/parse-yaml.ts')
  const front = frontMatterSchema.parse(parseYaml(file, match[1]!).value)
  const command = typeof front.command === 'string' ? splitCommand(front.command) : front.command
  if (command === null || command.length === 0) throw new Error('its command cannot be read as words')
  return { name, command, permissions: front.permissions ?? null }
}

function demoCommand(): string[] {
  const file = import.meta.url.endsWith('.ts') ? './demo-agent.ts' : './agh-demo-agent.js'
  return [process.execPath, fileURLToPath(new URL(file, import.meta.url))]
}
