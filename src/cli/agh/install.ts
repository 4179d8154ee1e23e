// `agh install`: a first configuration from the ACP agents that are here. What exists is never changed.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { agentFile, DEFAULT_AGENT } from '../../agh/agents.ts'
import { type AghPaths, aghPaths } from '../../agh/paths.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import { defineCommand } from '../command.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

/** In the order of preference for `general`. */
const KNOWN_AGENTS: ReadonlyArray<{ name: string; command: readonly string[] }> = [
  { name: 'claude', command: ['claude-agent-acp'] },
  { name: 'codex', command: ['codex-acp'] },
  { name: 'opencode', command: ['opencode', 'acp'] },
  { name: 'gemini', command: ['gemini', '--acp'] },
  { name: 'qwen', command: ['qwen', '--acp'] },
]

const FIRST_CONFIG = `# Configuration of agh. Everything may be left out.
# [http]
# port = 2123
# [defaults]
# agent = "general"
# [permissions]
# mode = "approve-reads"      # deny-all, approve-reads, approve-all
# [session.supervision]
# inactivity_timeout = "30m"
`

export const installCommand = defineCommand({
  program: 'agh',
  name: 'install',
  about: 'Make a first configuration from the ACP agents found on the PATH',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const paths = aghPaths(io.env, io.home)
    const found = KNOWN_AGENTS.filter(({ command }) => findExecutable(command[0]!, { env: io.env }))
    const written = found.filter(({ name, command }) => writeAgent(paths, name, command)).map(({ name }) => name)
    if (found[0] && writeAgent(paths, DEFAULT_AGENT, found[0].command)) written.push(DEFAULT_AGENT)
    if (createOnce(paths.config, FIRST_CONFIG)) written.push('config.toml')
    const agents = found.map(({ name }) => name)
    printOne(io, format, { home: paths.home, agents, written }, () => [
      agents.length === 0
        ? 'No ACP agent is on the PATH; `general` is the demo agent.'
        : `Agents: ${agents.join(', ')}`,
      written.length === 0 ? `Nothing new in ${paths.home}` : `Written to ${paths.home}: ${written.join(', ')}`,
    ])
  },
})

function writeAgent(paths: AghPaths, name: string, command: readonly string[]): boolean {
  return createOnce(agentFile(paths, name), `---\nname: ${name}\ncommand: ${JSON.stringify(command)}\n---\n`)
}

function createOnce(file: string, content: string): boolean {
  if (existsSync(file)) return false
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return createFileExclusive(file, content)
}
