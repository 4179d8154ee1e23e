// `ao config relink`: lets a moved configuration keep its sessions. Nothing is moved or removed.
import { existsSync } from 'node:fs'
import { openConfig } from '../../../config/load-config-cached.ts'
import { AoError } from '../../../contract/errors.ts'
import { lastLines, tryGit } from '../../../git/git.ts'
import { findMovedData, type MovedData, relinkData } from '../../../store/moved-data.ts'
import { createPaths } from '../../../store/paths.ts'
import { readSessionFile } from '../../../store/session/session-file.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { describeMovedData } from '../note-moved-data.ts'
import type { Ao } from '../open-ao.ts'

export const configRelinkCommand = defineCommand({
  name: 'config relink',
  about: 'Reattach sessions after the configuration or its repository was moved',
  details: 'Only data whose configuration is gone is offered. It stays where it is.',
  options: {
    from: { value: 'path', about: 'Where the configuration was, when there are several' },
    yes: { short: 'y', about: 'Do it' },
    json: JSON_OPTION,
  },
  json: '{ from, configPath, sessions: [id], done, problems: [text] }',
  async run({ options }, io) {
    const config = await openConfig(io)
    const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env })
    const data = choose(findMovedData(paths, Object.keys(config.projects)), options.from)
    const sessions = data.projects.flatMap((project) => project.sessions)
    const answer = { from: data.origin, configPath: config.configPath, sessions, done: options.yes }
    if (!options.yes) {
      if (options.json) return void io.json({ ...answer, problems: [] })
      io.print(describeMovedData(data))
      return void io.print(`They would belong to ${config.configPath}. Do it with: ao config relink --yes`)
    }
    relinkData(paths, config.configPath, data)
    const problems = await repairWorktrees(config, data, io)
    if (options.json) return void io.json({ ...answer, problems })
    io.print(`${sessions.join(', ')} now belong to ${config.configPath}`)
    for (const problem of problems) io.note(`${io.noteStyle.yellow('warning:')} ${problem}`)
    io.print('  Agents that run still know the old path; give them the new one with: ao session kill, then restore')
    io.print('  A loop that runs, too: ao stop, then ao start')
  },
})

function choose(found: MovedData[], from: string | undefined): MovedData {
  const fitting =
    from === undefined ? found : found.filter(({ origin }) => origin === from || origin.startsWith(`${from}/`))
  if (fitting.length === 1) return fitting[0]!
  const origins = found.map(({ origin }) => origin).join(', ')
  throw new AoError(
    'USAGE',
    fitting.length === 0
      ? `There are no sessions of a configuration that is gone${from === undefined ? '' : ` and was at ${from}`}`
      : `Several configurations are gone: ${origins}`,
    {
      hint:
        origins === ''
          ? 'List the sessions with: ao session ls --all'
          : 'Name one with: ao config relink --from <path>',
    },
  )
}

/** A worktree names its repository by path, and the repository the worktree; git repairs both. */
async function repairWorktrees(config: Ao['config'], { projects }: MovedData, io: Io): Promise<string[]> {
  const problems: string[] = []
  for (const { projectId, paths, sessions } of projects) {
    const project = config.projects[projectId]!
    const worktrees = sessions
      .map((id) => readSessionFile(paths, id)?.record.worktree)
      .filter((path) => path !== undefined && path !== project.path && existsSync(path))
    if (worktrees.length === 0) continue
    const repaired = await tryGit(project.path, ['worktree', 'repair', ...(worktrees as string[])], { env: io.env })
    if (!repaired.ok) problems.push(`git could not repair the worktrees of ${projectId}: ${lastLines(repaired.stderr)}`)
  }
  return problems
}
