// The remotes of a repository, from its configuration file alone, and what they say about a project: no subprocess.
import { join } from 'node:path'
import { type OrchestratorConfig, pluginName } from '../../contract/config.ts'
import { FORGES } from '../../contract/forges.ts'
import { decideForge } from '../../core/forge/decide-forge.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { readPlainText } from '../../lib/plain-file.ts'

/** null: there is no repository, or it is unreadable. */
export function hasRemote(path: string): boolean | null {
  const text = configText(path)
  return text === null ? null : /^[ \t]*\[\s*remote\s*["\s.]/m.test(text)
}

/** As they are written there: aliases of git and ssh are not resolved. */
function remoteUrls(path: string): string[] {
  const urls: string[] = []
  let isRemote = false
  for (const line of configText(path)?.split('\n') ?? []) {
    const row = line.trim()
    if (row.startsWith('[')) isRemote = /^\[ {0,9}remote\b/i.test(row)
    const url = isRemote ? /^url[ \t]{0,9}=(.*)$/i.exec(row)?.[1] : undefined
    if (url !== undefined) urls.push(url.trim().replaceAll('"', ''))
  }
  return urls
}

/** The user's token acts on the repository that they have cloned, or nothing asks a forge for it. */
export function isOwnRepository({ projects, plugins }: OrchestratorConfig, projectId: string): boolean {
  const project = projects[projectId]
  if (project === undefined) return false
  const { repo, path, scm = plugins.scm?.name, tracker = plugins.tracker?.name } = project
  const forges = [scm, tracker].flatMap((choice) => (choice === undefined ? [] : [pluginName(choice)]))
  const hosted = forges.filter((name) => name !== 'local')
  if (hosted.length === 0) return true
  const remotes = remoteUrls(path).flatMap((url) => decideForge(url, {}) ?? [])
  const same = remotes.filter((remote) => remote.repo.toLowerCase() === repo?.toLowerCase())
  // A remote of a known forge says nothing about a repository of the same name on another one.
  return same.some(({ forge, otherProduct }) =>
    hosted.every((name) => otherProduct === null && (forge === null || forge.plugin === name || !isForge(name))),
  )
}

function isForge(plugin: string): boolean {
  return FORGES.some((forge) => forge.plugin === plugin)
}

function configText(path: string): string | null {
  try {
    const commonDir = commonGitDir(path)
    return commonDir === null ? null : readPlainText(join(commonDir, 'config'))
  } catch {
    // An unreadable directory says nothing; other commands report what is wrong with it.
    return null
  }
}
