// `ao __complete`: what the Tab key may offer. Fast, and silent about all problems.
import { existsSync, readdirSync } from 'node:fs'
import { openConfig } from '../../../config/load-config-cached.ts'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { isSafeName } from '../../../contract/ids.ts'
import { BUILTIN_PLUGINS } from '../../../plugins/builtin.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Candidate } from '../../complete-words.ts'
import { completeCommandOf } from '../../completion.ts'
import type { Io } from '../../print/io.ts'

export const completeCommand = completeCommandOf('ao', lookUpNames)

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
