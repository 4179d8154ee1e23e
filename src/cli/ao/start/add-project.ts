// Adds a repository as a project to an existing configuration. Comments and order of the file are preserved.
import { mkdirSync, realpathSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { editText } from '../../../config/edit/edit-text.ts'
import { writeConfig } from '../../../config/edit/save-edit.ts'
import { detectProject } from '../../../config/init/detect-project.ts'
import { loadConfig } from '../../../config/load-config.ts'
import { trust } from '../../../config/trust/trust.ts'
import { trustItems } from '../../../config/trust/trust-items.ts'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { isInside } from '../../../lib/inside-directory.ts'
import { withLock } from '../../../lib/lock.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import { runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Io } from '../../print/io.ts'

export interface AddedProject {
  id: string
  /** As if it had never been added. */
  rollBack(): Promise<void>
}

/** null: the configuration already has a project with this repository. */
export async function addProject(configPath: string, directory: string, io: Io): Promise<AddedProject | null> {
  const project = await detectProject({ cwd: directory, env: io.env })
  const root = realpathSync(project.root)
  const files = runFiles(createPaths({ configPath, home: io.home, env: io.env }))
  mkdirSync(dirname(files.configLock), { recursive: true, mode: 0o700 })
  // Two that are added at once must both be in the file afterwards.
  return withLock(files.configLock, async () => {
    const config = loadConfig({ path: configPath, env: io.env, home: io.home })
    if (Object.values(config.projects).some(({ path }) => realPath(path) === root)) return null
    const before = readPlainText(configPath)
    const id = freeId(project.id, Object.keys(config.projects))
    const below = relative(realpathSync(dirname(configPath)), root)
    const { remote, defaultBranch } = project
    const value = {
      path: isInside(realpathSync(dirname(configPath)), root) ? below || '.' : root,
      ...(remote && { repo: remote.repo }),
      ...(remote?.forge && { tracker: remote.forge.plugin, scm: remote.forge.plugin }),
      defaultBranch,
    }
    const after = editText(configPath, before, [{ path: ['projects', id], value }])
    writeConfig(configPath, after)
    try {
      await trustDirectory(loadConfig({ path: configPath, env: io.env, home: io.home }), id, io)
    } catch (error) {
      writeConfig(configPath, before)
      throw new AoError('CONFIG_INVALID', `${root} could not be added to ${configPath}: ${errorText(error)}`, {
        cause: error,
      })
    }
    const rollBack = () => withLock(files.configLock, () => removeProject(configPath, id, { before, after }))
    return { id, rollBack }
  })
}

/** The user named this very directory, wherever it is. That is not consent to what else the repository brings. */
async function trustDirectory(config: OrchestratorConfig, id: string, io: Io): Promise<void> {
  const items = trustItems(config, { home: io.home, kinds: ['outside'] })
  const own = items.filter(({ project, at }) => project === id && at.length === 2)
  await trust(own, { home: io.home, env: io.env, now: io.clock.now() })
}

/** The file may have been edited meanwhile: then only the project is removed. */
function removeProject(configPath: string, id: string, { before, after }: { before: string; after: string }): void {
  const now = readPlainText(configPath)
  writeConfig(configPath, now === after ? before : editText(configPath, now, [{ path: ['projects', id] }]))
}

function freeId(wanted: string, taken: string[]): string {
  let id = wanted
  for (let number = 2; taken.includes(id); number++) id = `${wanted}-${number}`
  return id
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A project whose directory is gone matches nothing.
    return path
  }
}
