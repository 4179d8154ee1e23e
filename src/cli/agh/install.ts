// `agh install`: a first configuration from the installed ACP agents. Existing files are never changed, nothing is fetched.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AghPaths } from '../../agh/paths.ts'
import { agentFile, DEFAULT_AGENT } from '../../agh/setup/agents.ts'
import {
  type FoundAgent,
  SUPPORTED_AGENTS,
  type SupportedAgent,
  searchAgents,
} from '../../agh/setup/supported-agents.ts'
import { AoError } from '../../contract/errors.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { aghCommand } from './agh-command.ts'

const NAMES = SUPPORTED_AGENTS.map(({ name }) => name)

const FIRST_CONFIG = `# Configuration of agh. Everything may be left out; docs/agh.md explains it.
# [http]
# port = 2123
# [defaults]
# agent = "general"
# [permissions]
# mode = "approve-reads"      # deny-all, approve-reads, approve-edits, approve-all
# [session.supervision]
# inactivity_timeout = "30m"
`

export const installCommand = aghCommand({
  name: 'install',
  about: 'Make a first configuration from the ACP agents found on the PATH',
  details: `It looks for ${NAMES.join(', ')}. \`general\` becomes the first one found, or else the demo agent. Nothing that exists is changed.`,
  options: {
    npx: { about: 'Also write agents that are not here; npx fetches them when they first run' },
    agent: { short: 'a', value: 'name', about: 'Only this one', completes: NAMES, repeatable: true },
  },
  examples: [
    {
      line: 'agh install --npx --agent claude',
      about: 'Claude Code through its ACP adapter, fetched by npx when it first runs',
    },
  ],
  async run({ options, io, agh: { paths }, show }) {
    const { found, offered } = searchAgents(chosen(options.agent), io.env, options.npx)
    const written = found.filter((agent) => writeAgent(paths, agent.name, agent)).map(({ name }) => name)
    if (found[0] && writeAgent(paths, DEFAULT_AGENT, found[0])) written.push(DEFAULT_AGENT)
    if (createOnce(paths.config, FIRST_CONFIG)) written.push('config.toml')
    const result = { home: paths.home, agents: found, offered, written }
    show(result, () => describe(result))
  },
})

interface Installed {
  home: string
  agents: FoundAgent[]
  offered: SupportedAgent[]
  written: string[]
}

function describe({ home, agents, offered, written }: Installed): string[] {
  const names = offered.map(({ name }) => name).join(', ')
  return [
    agents.length === 0
      ? 'No ACP agent is on the PATH; `general` is the demo agent.'
      : `Agents: ${agents.map(({ name, command }) => `${name} (${command.join(' ')})`).join(', ')}`,
    ...(offered.length === 0
      ? []
      : [`Not here, but npx can fetch them: ${names}. To use one: agh install --npx --agent ${offered[0]!.name}`]),
    written.length === 0 ? `Nothing new in ${home}` : `Written to ${home}: ${written.join(', ')}`,
  ]
}

function chosen(names: readonly string[]): readonly SupportedAgent[] {
  const unknown = names.find((name) => !NAMES.includes(name))
  if (unknown !== undefined) {
    throw new AoError('USAGE', `agh install knows no agent ${unknown}`, {
      hint: `It knows ${NAMES.join(', ')}; describe others in agents/<name>/AGENT.md`,
    })
  }
  return names.length === 0 ? SUPPORTED_AGENTS : SUPPORTED_AGENTS.filter(({ name }) => names.includes(name))
}

function writeAgent(paths: AghPaths, name: string, { command }: FoundAgent): boolean {
  return createOnce(agentFile(paths, name), `---\nname: ${name}\ncommand: ${JSON.stringify(command)}\n---\n`)
}

function createOnce(file: string, content: string): boolean {
  if (existsSync(file)) return false
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return createFileExclusive(file, content)
}
