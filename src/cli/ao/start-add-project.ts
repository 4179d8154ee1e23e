// A repository becomes a project of an existing configuration. Comments and order of the file stay as they are.
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { parseDocument } from 'yaml'
import { detectProject } from '../../config/detect-project.ts'
import { loadConfig } from '../../config/load-config.ts'
import { AoError } from '../../contract/errors.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Io } from '../io.ts'

/** The project's id; null: the configuration has a project with this repository. */
export async function addProject(configPath: string, directory: string, io: Io): Promise<string | null> {
  const config = loadConfig({ path: configPath, env: io.env, home: io.home })
  const project = await detectProject({ cwd: directory, env: io.env })
  const root = realpathSync(project.root)
  const present = Object.values(config.projects).find(({ path }) => realPath(path) === root)
  if (present) return null
  const document = parseDocument(readFileSync(configPath, 'utf8'))
  const id = freeId(project.id, Object.keys(config.projects))
  const below = relative(dirname(configPath), root)
  document.setIn(['projects', id], {
    path: below === '' ? '.' : below.startsWith('..') ? root : below,
    ...(project.remote ? { repo: project.remote.repo } : {}),
    defaultBranch: project.defaultBranch,
  })
  const before = readFileSync(configPath)
  writeFileAtomic(configPath, document.toString(), { mode: 0o644 })
  try {
    loadConfig({ path: configPath, env: io.env, home: io.home })
  } catch (error) {
    writeFileAtomic(configPath, before, { mode: 0o644 })
    throw new AoError('CONFIG_INVALID', `${root} could not be added to ${configPath}`, { cause: error })
  }
  return id
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
    // A project whose directory is gone is nobody's.
    return path
  }
}
