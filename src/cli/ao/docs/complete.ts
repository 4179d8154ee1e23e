// `ao __complete`: what the Tab key may offer. Quick, and silent about everything that is wrong.
import { existsSync, readdirSync } from 'node:fs'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { isSafeName } from '../../../contract/ids.ts'
import { BUILTIN_PLUGINS } from '../../../plugins/builtin.ts'
import { createPaths } from '../../../store/paths.ts'
import { defineCommand } from '../../command.ts'
import { findCommand, loadGroups } from '../../command-table.ts'
import { type Candidate, type Completion, completeArgument, completeCommandName } from '../../complete-words.ts'
import type { Io } from '../../io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { openConfig } from '../open-ao.ts'

export const completeCommand = defineCommand({
  name: '__complete',
  about: 'Print what may stand at the end of a command line',
  args: { words: { about: 'The words after ao; the last one is being typed', variadic: true } },
  options: {},
  async run({ args }, io) {
    const current = args.words.at(-1) ?? ''
    const before = args.words.slice(0, -1)
    const { candidates, lookUp } = await completionFor(before, current)
    if (lookUp === 'file') io.print(':files')
    const found = typeof lookUp === 'string' && lookUp !== 'file' ? await lookUpNames(lookUp, io) : []
    for (const { word, about } of [...candidates, ...found]) {
      if (word.startsWith(current)) io.print(about ? `${word}\t${toOneLine(about)}` : word)
    }
    return 0
  },
})

async function completionFor(before: readonly string[], current: string): Promise<Completion> {
  // Loaded here: the table names this very file.
  const { COMMANDS } = await import('../commands.ts')
  const isGroup = before.length === 1 && COMMANDS.some(({ name }) => name.startsWith(`${before[0]} `))
  if (before.length === 0 || isGroup) {
    const groups = await loadGroups(COMMANDS)
    return completeCommandName(
      groups.flatMap(({ commands }) => commands),
      before,
    )
  }
  const found = findCommand(COMMANDS, before)
  if (found.kind === 'help') return { candidates: [], lookUp: null }
  return completeArgument(await found.entry.load(), found.rest, current)
}

async function lookUpNames(what: string, io: Io): Promise<Candidate[]> {
  try {
    const config = await openConfig(io)
    const projects = Object.values(config.projects).map(({ id, name }) => ({ word: id, about: name }))
    if (what === 'project') return projects
    if (what === 'agent') return agentNames()
    if (what === 'session') return sessionIds(config, io)
    return [...sessionIds(config, io), ...projects, { word: 'all', about: 'All sessions' }]
  } catch {
    // No configuration, or a broken one: there is nothing to offer, and Tab is no place for an error.
    return []
  }
}

function sessionIds(config: OrchestratorConfig, io: Io): Candidate[] {
  const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env })
  return Object.keys(config.projects).flatMap((projectId) => {
    const directory = paths.project(projectId).sessions
    if (!existsSync(directory)) return []
    const files = readdirSync(directory, { withFileTypes: true })
    return files
      .filter((entry) => entry.isFile() && isSafeName(entry.name))
      .map(({ name }) => ({ word: name, about: projectId }))
  })
}

function agentNames(): Candidate[] {
  return BUILTIN_PLUGINS.filter(({ slot }) => slot === 'agent').map(({ name }) => ({ word: name, about: '' }))
}
