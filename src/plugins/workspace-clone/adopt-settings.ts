// What a clone takes over from the project's repository besides the commits: the real remote with its branches, the
// committer, and what is ignored.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { runGit, tryGit } from '../../git/git.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { readBytes } from '../../lib/plain-file.ts'

export interface Adoption {
  repository: Repository
  project: ProjectConfig
  clone: string
}

const WANTED = '^(remote\\.origin\\.(url|pushurl)|(user|author|committer|commit|gpg|tag)\\..*)$'

export async function adoptSettings(adoption: Adoption): Promise<void> {
  const { repository, clone, project } = adoption
  const listed = await tryGitOn(repository, ['config', '--local', '-z', '--get-regexp', WANTED], { read: true })
  const settings = listed.stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map(splitSetting)
  const hasRemote = settings.some(([key]) => key === 'remote.origin.url')
  if (!hasRemote) settings.push(['remote.origin.url', project.path])
  for (const [key, value] of settings) {
    const absolute = key.startsWith('remote.') ? absoluteUrl(value, project.path) : value
    await runGit(clone, ['config', '--replace-all', key, absolute], { env: repository.env })
  }
  if (hasRemote) await adoptRemoteBranches(adoption)
  copyExcludes(adoption)
}

/** The clone was made from local branches; its `origin/…` must match the real origin. */
async function adoptRemoteBranches({ repository, clone, project }: Adoption): Promise<void> {
  const format = '--format=%(objectname) %(refname)'
  const env = repository.env
  const theirs = await gitOn(repository, ['for-each-ref', format, 'refs/remotes/origin/'], { read: true })
  const mine = await runGit(clone, ['for-each-ref', format, 'refs/remotes/origin/'], { env, read: true })
  await tryGit(clone, ['symbolic-ref', '--delete', 'refs/remotes/origin/HEAD'], { env })
  const names = (text: string) => text.split('\n').filter((line) => line !== '' && !line.endsWith('/HEAD'))
  const kept = new Set(names(theirs).map((line) => line.split(' ')[1]))
  const gone = names(mine)
    .map((line) => line.split(' ')[1]!)
    .filter((ref) => !kept.has(ref))
  const commands = [
    ...gone.map((ref) => `delete ${ref}\n`),
    ...names(theirs).map((line) => `update ${line.split(' ')[1]} ${line.split(' ')[0]}\n`),
  ]
  await runGit(clone, ['update-ref', '--stdin'], { env, input: commands.join('') })
  const head = `refs/remotes/origin/${project.defaultBranch}`
  if (kept.has(head)) await runGit(clone, ['symbolic-ref', 'refs/remotes/origin/HEAD', head], { env })
}

function copyExcludes({ repository, clone }: Adoption): void {
  const source = join(repository.commonDir, 'info', 'exclude')
  if (!existsSync(source)) return
  mkdirSync(join(clone, '.git', 'info'), { recursive: true })
  writeFileSync(join(clone, '.git', 'info', 'exclude'), readBytes(source))
}

/** `key<newline>value` of `git config -z`. A key without a value means true. */
function splitSetting(entry: string): [key: string, value: string] {
  const at = entry.indexOf('\n')
  return at === -1 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)]
}

function absoluteUrl(url: string, projectPath: string): string {
  return /^\.{1,2}(\/|$)/.test(url) ? resolve(projectPath, url) : url
}
