// What a session's branch changes against its target branch, including uncommitted work. Reads only: the agent's own index
// is copied, never touched.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { DiffAnswer } from '../../contract/dashboard/answers.ts'
import type { Session } from '../../contract/session.ts'
import { cutDiff, DIFF_FORMAT } from '../../git/cut-diff.ts'
import { runGit, tryGit } from '../../git/git.ts'
import { MAX_FOREIGN_BYTES, readBytes } from '../../lib/plain-file.ts'
import { type ManagerContext, requireProject } from '../context.ts'

interface Range {
  directory: string
  base: string
  head: string
}

const GIT_MS = 20_000

export async function diffSession(context: ManagerContext, session: Session): Promise<DiffAnswer> {
  const project = requireProject(context, session.projectId)
  const { env } = context
  if (session.workspacePath !== null && existsSync(join(session.workspacePath, '.git'))) {
    const range = await findRange(session.workspacePath, 'HEAD', project.defaultBranch, env)
    if (range) return answer(range, await withUncommitted(range, env))
  }
  const range = session.branch && (await findRange(project.path, session.branch, project.defaultBranch, env))
  if (!range) return { base: '', head: '', diff: '', truncated: false }
  return answer(range, await readDiff(range.directory, [range.base, range.head], env))
}

function answer({ base, head }: Range, diff: string): DiffAnswer {
  return { base, head, ...cutDiff(diff) }
}

/** From the merge base with the base branch. null: the branch no longer exists here. */
async function findRange(
  directory: string,
  revision: string,
  baseBranch: string,
  env: NodeJS.ProcessEnv,
): Promise<Range | null> {
  const read = async (...args: string[]) => {
    const result = await tryGit(directory, args, { env, read: true, timeoutMs: GIT_MS })
    return result.ok ? result.stdout.trim() : null
  }
  const head = await read('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)
  if (head === null) return null
  // The fetched branch may be newer than the local one of the same name, or the other way round: the nearer one counts.
  const bases: Array<{ base: string; distance: number }> = []
  for (const ref of [`refs/heads/${baseBranch}`, `refs/remotes/origin/${baseBranch}`]) {
    const base = await read('merge-base', ref, head)
    if (base) bases.push({ base, distance: Number(await read('rev-list', '--count', `${base}..${head}`)) })
  }
  const nearest = bases.sort((a, b) => a.distance - b.distance)[0]
  return { directory, base: nearest?.base ?? head, head }
}

/** New files belong to the work too: they are added to a copy of the index. */
async function withUncommitted({ directory, base }: Range, env: NodeJS.ProcessEnv): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'ao-diff-'))
  try {
    const index = resolve(directory, (await git(directory, ['rev-parse', '--git-path', 'index'], env)).trim())
    const copy = join(scratch, 'index')
    if (existsSync(index)) writeFileSync(copy, readBytes(index, { maxBytes: MAX_FOREIGN_BYTES }))
    const extraEnv = { GIT_INDEX_FILE: copy }
    await git(directory, ['add', '--intent-to-add', '--all', '--', '.'], env, extraEnv)
    return await readDiff(directory, [base], env, extraEnv)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function readDiff(
  directory: string,
  revisions: string[],
  env: NodeJS.ProcessEnv,
  extraEnv?: Record<string, string>,
): Promise<string> {
  return git(directory, ['diff', ...DIFF_FORMAT, ...revisions, '--'], env, extraEnv)
}

function git(
  directory: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  extraEnv: Record<string, string> = {},
): Promise<string> {
  return runGit(directory, args, { env, read: true, extraEnv, timeoutMs: GIT_MS })
}
