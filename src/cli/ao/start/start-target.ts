// What `ao start <repository>` means: a directory or a URL, and the configuration that its repository belongs to.
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { findConfig } from '../../../config/find-config.ts'
import { AoError } from '../../../contract/errors.ts'
import type { Io } from '../../print/io.ts'
import { configEditFiles } from '../config/edit-files.ts'
import type { AddedProject } from './add-project.ts'

export interface StartTarget {
  /** With the configuration that applies. */
  io: Io
  /** The project that was added to the configuration; null: it was already there. */
  added: AddedProject | null
  /** The configuration was written just now. */
  created: boolean
}

export async function goToRepository(repository: string | undefined, io: Io): Promise<StartTarget> {
  if (repository === undefined) {
    if (findFrom([io.cwd], io) !== null) return { io, added: null, created: false }
    return init(io.cwd, io)
  }
  const directory = await directoryOf(repository, io)
  const configPath = findFrom([directory, io.cwd], io)
  if (configPath === null) return init(directory, io)
  const { addProject } = await import('./add-project.ts')
  const added = await addProject(configPath, directory, io)
  return { io: withConfig(io, configPath, directory), added, created: false }
}

async function directoryOf(repository: string, io: Io): Promise<string> {
  const { mustBeCloned, cloneHere } = await import('./clone.ts')
  if (mustBeCloned(repository, io.cwd)) return cloneHere(repository, io)
  const path = resolve(io.cwd, repository)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path)
  throw new AoError('USAGE', `There is no directory ${path}`, { hint: 'ao start [directory or URL]' })
}

/** The one above the first of the directories that has one; null: none has, and no other was named. */
function findFrom(directories: string[], io: Io): string | null {
  for (const cwd of directories) {
    try {
      return realpathSync(findConfig({ path: io.configPath, cwd, env: io.env, home: io.home }).path)
    } catch (error) {
      const isNamed = io.configPath !== undefined || Boolean(io.env.AO_CONFIG_PATH)
      if (!(error instanceof AoError) || error.code !== 'CONFIG_NOT_FOUND' || isNamed) throw error
    }
  }
  return null
}

/** The first configuration, as `ao init` writes it. */
async function init(directory: string, io: Io): Promise<StartTarget> {
  const [{ initConfig }, { createPluginRegistry }, { createLog }] = await Promise.all([
    import('../../../config/init/init-config.ts'),
    import('../../../plugins/registry.ts'),
    import('../../../lib/log.ts'),
  ])
  const { env, home } = io
  const agents = await createPluginRegistry({ env, home, log: createLog(env.AO_LOG_LEVEL) }).detect('agent')
  const { path, choices, notes } = await initConfig({
    cwd: directory,
    env,
    home,
    now: io.clock.now(),
    agents,
    editFiles: configEditFiles(io),
  })
  io.note(`wrote ${path}: ${choices.map(({ what, value }) => `${what} ${value}`).join(', ')}`)
  for (const note of notes) io.note(`${io.noteStyle.yellow('note:')} ${note}`)
  return { io: withConfig(io, path, directory), added: null, created: true }
}

function withConfig(io: Io, configPath: string, cwd: string): Io {
  return Object.create(io, { configPath: { value: configPath }, cwd: { value: cwd } }) as Io
}
