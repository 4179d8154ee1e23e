// Fills a worktree with exactly what a commit holds. Objects, attributes and settings in the repository, which agents can write,
// could give the files other content than the one that lands, so git gets verified objects, and a plain directory in place of the
// repository's: only attributes that are in the tree itself, and the user's own settings and filters count.
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { type GitSetting, isLocal, parseSettings, splitKey } from '../../core/git/local-settings.ts'
import { removeTree } from '../../lib/remove.ts'
import { runGit } from '../git.ts'
import { locateGit } from '../git-dir.ts'
import { gitOn, type Repository } from '../repository.ts'
import { verified } from '../vault/verified.ts'

/** The worktree is registered, and empty. */
export async function fillExactly(repository: Repository, worktree: string, commit: string): Promise<void> {
  const location = locateGit(worktree)
  if (location === null || location.commonDir !== repository.commonDir) {
    throw new AoError('WORKSPACE_FAILED', `${worktree} is not a worktree of ${repository.commonDir}`)
  }
  const vault = await verified(repository, [commit])
  const plain = mkdtempSync(join(location.gitDir, 'ao-plain-'))
  try {
    await writePlain(repository, plain, commit)
    await runGit(worktree, ['read-tree', '--reset', '-u', commit], {
      env: repository.env,
      extraEnv: {
        GIT_DIR: location.gitDir,
        GIT_WORK_TREE: worktree,
        GIT_COMMON_DIR: plain,
        GIT_OBJECT_DIRECTORY: join(vault.commonDir, 'objects'),
      },
    })
  } finally {
    removeTree(plain)
  }
}

async function writePlain(repository: Repository, plain: string, commit: string): Promise<void> {
  const settings = parseSettings(await gitOn(repository, ['config', '--list', '-z', '--show-scope'], { read: true }))
  const format = commit.length === 64 ? ['repositoryformatversion = 1', '[extensions]', 'objectformat = sha256'] : []
  const lines = format.length > 0 ? format : ['repositoryformatversion = 0']
  mkdirSync(join(plain, 'refs'))
  writeFileSync(join(plain, 'HEAD'), `${commit}\n`)
  writeFileSync(join(plain, 'config'), ['[core]', ...lines, ...settings.flatMap(asLines), ''].join('\n'))
  // Where git-lfs, one of the user's own filters, finds what it has fetched.
  const lfs = join(repository.commonDir, 'lfs')
  if (existsSync(lfs)) symlinkSync(lfs, join(plain, 'lfs'))
}

/** Where git-lfs finds what is missing. */
const KEPT = ['url']

function asLines(setting: GitSetting): string[] {
  const { section, subsection, name } = splitKey(setting.key)
  if (!isLocal(setting) || section !== 'remote' || subsection === null || !KEPT.includes(name)) return []
  if (/[\n\0]/.test(subsection + setting.value)) return []
  return [`[remote ${quoted(subsection)}]`, `${name} = ${quoted(setting.value)}`]
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
