// Restores what a rescue keeps beside the two trees: conflict entries, raw bytes, refs, the operation in progress.
import { chmodSync, copyFileSync, mkdirSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runGit } from '../git.ts'
import { withoutPrefix } from '../quoted-path.ts'
import { type Checkout, fileOf, gitIn, gitLines, tryGitIn } from '../workspace/checkout.ts'
import { restoreFlags } from './index-flags.ts'
import type { RescueParts } from './rescue-commit.ts'
import { splitEntry } from './rescue-state.ts'

interface Entry {
  mode: string
  id: string
  path: string
}

export async function restoreState(checkout: Checkout, parts: RescueParts, scratch: string): Promise<void> {
  const entries = parts.state === null ? [] : await listEntries(checkout, parts.state)
  await restoreConflicts(checkout, entries)
  await restoreExact(checkout, entries, scratch)
  await restoreRefs(checkout, entries)
  await restoreFlags(checkout, await readList(checkout, entries, 'flags'))
  // The files' times are new; without this the agent's first `git status` would read every one of them.
  await tryGitIn(checkout, ['update-index', '-q', '--refresh'])
  for (const { id, path } of below(entries, 'git/')) {
    const target = join(checkout.gitDir, path)
    mkdirSync(dirname(target), { recursive: true })
    await writeBlob(checkout, { scratch, id, target: Buffer.from(target) })
    // A recreated clone does not know yet that it has settings of its own.
    if (path === 'config.worktree') await enableOwnSettings(checkout)
  }
}

/** Files that git has just written in another form than they had. */
export async function restoreExact(checkout: Checkout, entries: Entry[], scratch: string): Promise<void> {
  for (const entry of below(entries, 'exact/')) {
    const target = fileOf(checkout, entry.path)
    await writeBlob(checkout, { scratch, id: entry.id, target })
    chmodSync(target, entry.mode === '100755' ? 0o755 : 0o644)
  }
}

async function enableOwnSettings(checkout: Checkout): Promise<void> {
  const key = 'extensions.worktreeConfig'
  const enabled = await tryGitIn(checkout, ['config', '--bool', key], { read: true })
  if (enabled.stdout.trim() !== 'true') await gitIn(checkout, ['config', key, 'true'])
}

export async function readList(checkout: Checkout, entries: Entry[], name: string): Promise<string[]> {
  const file = entries.find((entry) => entry.path === name)
  return file === undefined ? [] : gitLines(checkout, ['cat-file', 'blob', file.id], { read: true })
}

export async function listEntries(checkout: Checkout, commit: string): Promise<Entry[]> {
  const lines = await gitLines(checkout, ['ls-tree', '-r', '--full-tree', commit], { read: true })
  return lines.map((line) => {
    const [meta, path] = splitEntry(line)
    const [mode, , id] = meta.split(' ')
    return { mode: mode!, id: id!, path }
  })
}

export function below(entries: Entry[], prefix: string): Entry[] {
  return entries.flatMap((entry) => {
    const path = withoutPrefix(prefix, entry.path)
    return path === null ? [] : [{ ...entry, path }]
  })
}

async function restoreConflicts(checkout: Checkout, entries: Entry[]): Promise<void> {
  const lines = ['1', '2', '3'].flatMap((stage) =>
    below(entries, `stage${stage}/`).map(({ mode, id, path }) => `${mode} ${id} ${stage}\t${path}\n`),
  )
  if (lines.length > 0) await gitIn(checkout, ['update-index', '--index-info'], { input: lines.join('') })
}

/** Refs that disappeared with a clone. One that exists again is left as it is. */
async function restoreRefs(checkout: Checkout, entries: Entry[]): Promise<void> {
  for (const line of await readList(checkout, entries, 'refs')) {
    const [id, ref] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]
    if (ref === 'refs/stash') await gitIn(checkout, ['stash', 'store', '--message', 'Rescued by ao', id])
    else await tryGitIn(checkout, ['update-ref', ref, id, ''])
  }
}

/** The blob's own bytes, bypassing every filter. */
async function writeBlob(checkout: Checkout, job: { scratch: string; id: string; target: Buffer }): Promise<void> {
  const args = [`--git-dir=${checkout.gitDir}`, `--work-tree=${job.scratch}`, 'unpack-file', job.id]
  const file = join(job.scratch, (await runGit(job.scratch, args, { env: checkout.env })).trim())
  copyFileSync(file, job.target)
  unlinkSync(file)
}
