// What `ao start <place>` means: a directory or a URL, and the configuration that its repository belongs to.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { findConfig } from '../../config/find-config.ts'
import { AoError } from '../../contract/errors.ts'
import { runGit } from '../../lib/git.ts'
import type { Io } from '../io.ts'

export interface Place {
  /** With the configuration that applies. */
  io: Io
  /** The project that was put into the configuration; null: it was there. */
  added: string | null
}

export async function goToPlace(place: string | undefined, io: Io): Promise<Place> {
  if (place === undefined) return { io, added: null }
  const directory = isUrl(place) ? await clone(place, io) : requireDirectory(resolve(io.cwd, place))
  const configPath = findFrom(directory, io)
  if (configPath === null) return init(directory, io)
  const { addProject } = await import('./start-add-project.ts')
  const added = await addProject(configPath, directory, io)
  return { io: withConfig(io, configPath, directory), added }
}

/** The one above the directory, else the one of where the user is; null: neither has one. */
function findFrom(directory: string, io: Io): string | null {
  for (const cwd of [directory, io.cwd]) {
    try {
      return realpathSync(findConfig({ path: io.configPath, cwd, env: io.env, home: io.home }).path)
    } catch (error) {
      if (!(error instanceof AoError) || error.code !== 'CONFIG_NOT_FOUND' || io.configPath !== undefined) throw error
    }
  }
  return null
}

async function init(directory: string, io: Io): Promise<Place> {
  const [{ initConfig }, { createPluginRegistry }, { createLog }] = await Promise.all([
    import('../../config/init-config.ts'),
    import('../../plugins/registry.ts'),
    import('../../lib/log.ts'),
  ])
  const { env, home } = io
  const agents = await createPluginRegistry({ env, home, log: createLog(env.AO_LOG_LEVEL) }).detect('agent')
  const { path, projectId } = await initConfig({ cwd: directory, env, home, now: io.clock.now(), agents })
  return { io: withConfig(io, path, directory), added: projectId }
}

function withConfig(io: Io, configPath: string, cwd: string): Io {
  return Object.create(io, { configPath: { value: configPath }, cwd: { value: cwd } }) as Io
}

function isUrl(place: string): boolean {
  return /^(https?|ssh|git|file):\/\/|^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:/.test(place)
}

async function clone(url: string, io: Io): Promise<string> {
  const name = basename(url.replace(/[/:]+$/, '').replace(':', '/'), '.git')
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(name)) {
    throw new AoError('USAGE', `No directory can be named after ${url}`, {
      hint: 'Clone it by hand: ao start <directory>',
    })
  }
  const directory = join(io.cwd, name)
  if (existsSync(directory)) return requireDirectory(directory)
  io.note(`cloning ${url} ...`)
  await runGit(io.cwd, ['clone', '--quiet', '--', url, directory], { env: io.env, timeoutMs: 600_000 })
  return directory
}

function requireDirectory(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path)
  throw new AoError('USAGE', `There is no directory ${path}`, { hint: 'ao start [directory or URL]' })
}
