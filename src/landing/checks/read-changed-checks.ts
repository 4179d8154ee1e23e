// Which of its own checks a change touches: tests, CI configuration, the files of the gates.
import type { ProjectConfig } from '../../contract/config.ts'
import { changedChecks, holdsCommands, scriptsOf } from '../../core/landing/changed-checks.ts'
import { tryGitOn } from '../../git/repository.ts'
import { type CommitRange, readChangedPaths, verifiedRange } from './read-change.ts'

export async function readChangedChecks(
  { gates = [] }: Pick<ProjectConfig, 'gates'>,
  range: CommitRange,
  /** What the forge itself runs as CI, where that is configured here. */
  ci: readonly string[] = [],
): Promise<string[]> {
  const changes = await readChangedPaths(range)
  const changed = new Set<string>()
  for (const { path } of changes.filter((one) => holdsCommands(one.path)))
    if (scriptsOf(path, await textAt(range, range.from, path)) !== scriptsOf(path, await textAt(range, range.to, path)))
      changed.add(path)
  return changedChecks(changes, {
    commands: [...gates.flatMap(({ run }) => run ?? []), ...ci],
    commandsChanged: (path) => changed.has(path),
  })
}

/** null: it is not there. */
async function textAt(range: CommitRange, commit: string, path: string): Promise<string | null> {
  const args = ['cat-file', 'blob', `${commit}:${path}`]
  const result = await tryGitOn(await verifiedRange(range), args, { read: true })
  return result.ok ? result.stdout : null
}
