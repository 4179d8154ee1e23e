// Files that a program makes are made again by it, from everything else as it was merged: in a checkout like those of checks, with their
// environment and time limit, and only after the same consent. Nothing but the files that the rule is about is taken from there.
import { createHash, randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import type { RegenerateRule } from '../../core/landing/resolve/rules.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { deliver } from '../../git/vault/deliver.ts'
import { markComplete, type VerifiedRepository } from '../../git/vault/verified.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { staysInside } from '../../lib/inside-directory.ts'
import { withLock } from '../../lib/lock.ts'
import { entriesIn, readBytes, readIfThere } from '../../lib/plain-file.ts'
import { ciDirectory, withCheckout } from '../checks/ci-directory.ts'
import { runCheck } from '../checks/run-check.ts'
import { commitTree, editTree, type TreeEdit, writeBlob } from './git-files.ts'

export interface RegenerateHost {
  project: Pick<ProjectConfig, 'environment'>
  env: NodeJS.ProcessEnv
  /** Of the train; everything is below it. */
  directory: string
  /** Throws unless the user agreed to the commands of this configuration. */
  requireTrust(): void
  signal: AbortSignal
}

/** `path`: one of the files in conflict. */
export interface Order {
  rule: RegenerateRule
  path: string
}

/** `problem`: the tree is not to be had this way. */
export async function regenerate(
  host: RegenerateHost,
  vault: VerifiedRepository,
  { tree, onto, orders }: { tree: string; onto: string; orders: readonly Order[] },
): Promise<{ tree: string } | { problem: string }> {
  const runs = runsOf(orders)
  const key = keyOf(tree, runs)
  const before = await readResult(host, vault, key)
  if (before) return { tree: await editTree(vault, tree, before) }
  const commit = await commitTree(vault, tree, onto)
  markComplete(vault, commit)
  await deliver(vault, commit, onto)
  const projectDir = join(host.directory, 'slot-resolve')
  mkdirSync(projectDir, { recursive: true, mode: 0o700 })
  const ci = ciDirectory(projectDir)
  const marker = `resolve-${randomUUID()}`
  const made = await withLock(ci.lock, () =>
    withCheckout(ci, vault.source, { commit, marker }, () =>
      makeFiles(host, vault, { tree, runs, worktree: ci.worktree, marker, logFile: join(projectDir, 'log') }),
    ),
  )
  if ('problem' in made) return made
  rememberResult(host, key, made.edits)
  return { tree: await editTree(vault, tree, made.edits) }
}

interface Run {
  rule: RegenerateRule
  /** Files in conflict that it is to make. */
  paths: string[]
  /** Where it runs; '' at the top. */
  directory: string
  covers(path: string): boolean
}

/** Each command once in each directory. */
function runsOf(orders: readonly Order[]): Run[] {
  const runs = new Map<string, Run>()
  for (const { rule, path } of orders) {
    const directory = rule.isOneFile ? dirname(path).replace(/^\.$/, '') : ''
    const covers = rule.isOneFile ? (one: string) => one === path : rule.covers
    const key = `${directory}\0${rule.run}\0${rule.isOneFile ? path : ''}`
    runs.set(key, { rule, directory, covers, paths: [...(runs.get(key)?.paths ?? []), path] })
  }
  return [...runs.values()]
}

interface Making {
  tree: string
  runs: readonly Run[]
  worktree: string
  marker: string
  logFile: string
}

async function makeFiles(
  { project, env, signal }: RegenerateHost,
  vault: VerifiedRepository,
  { tree, runs, worktree, marker, logFile }: Making,
): Promise<{ edits: TreeEdit[] } | { problem: string }> {
  for (const { rule, directory } of runs) {
    const command = { name: rule.run, run: rule.run, timeoutMs: rule.timeoutMs }
    const where = join(worktree, directory)
    const end = await runCheck({
      command,
      directory: where,
      env,
      rule: project.environment ?? {},
      marker,
      logFile,
      signal,
    })
    // Nothing was found out about the change.
    signal.throwIfAborted()
    if (end.kind !== 'passed') return { problem: end.why }
  }
  const covers = (path: string) => runs.some((run) => run.covers(path))
  const missing = runs.flatMap(({ paths }) => paths).find((path) => !isThere(join(worktree, path)))
  return missing === undefined ? takeFiles(vault, { tree, worktree, covers }) : { problem: `${missing} was not made` }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false
}

const MOST_FILES = 5_000
const MOST_BYTES = 64 * 1024 * 1024

/** What is there now under the covered names, compared with the tree. */
async function takeFiles(
  vault: VerifiedRepository,
  { tree, worktree, covers }: { tree: string; worktree: string; covers(path: string): boolean },
): Promise<{ edits: TreeEdit[] } | { problem: string }> {
  const before = await coveredEntries(vault, tree, covers)
  // Links and submodules of the tree are not made by commands: they stay as they are.
  const fixed = new Set([...before].filter(([, { mode }]) => !PLAIN_MODES.has(mode)).map(([path]) => path))
  const now = coveredFiles(worktree, covers).filter((path) => !fixed.has(path))
  if (now.length > MOST_FILES) return { problem: `more than ${MOST_FILES} files were made` }
  const edits: TreeEdit[] = []
  let bytes = 0
  for (const path of now) {
    const stats = lstatSync(join(worktree, path))
    bytes += stats.size
    if (!stats.isFile() || !staysInside(worktree, path)) return { problem: `${path} is no longer a plain file` }
    if (bytes > MOST_BYTES) return { problem: `more than ${MOST_BYTES} bytes were made` }
    const content = readBytes(join(worktree, path), { maxBytes: MOST_BYTES, noFollow: true })
    const old = before.get(path)
    if (old !== undefined && blobId(content, old.blob.length) === old.blob) continue
    const mode = old?.mode ?? ((stats.mode & 0o100) === 0 ? '100644' : '100755')
    edits.push({ path, mode, blob: await writeBlob(vault, content) })
  }
  const left = new Set([...now, ...fixed])
  const removed = [...before].filter(([path]) => !left.has(path))
  return { edits: [...edits, ...removed.map(([path, { mode }]) => ({ path, mode, blob: null }))] }
}

const PLAIN_MODES = new Set(['100644', '100755'])

async function coveredEntries(
  vault: Repository,
  tree: string,
  covers: (path: string) => boolean,
): Promise<Map<string, { mode: string; blob: string }>> {
  const listed = await gitOn(vault, ['ls-tree', '-r', '-z', tree], { read: true })
  const entries = listed.split('\0').filter(Boolean)
  return new Map(
    entries
      .map((line) => /^(\d{6}) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line)!)
      .filter(([, , , path = '']) => covers(path) && !path.split('/').some((name) => LEFT_OUT.has(name)))
      .map(([, mode = '', blob = '', path = '']) => [path, { mode, blob }]),
  )
}

/** As git computes it, without starting git for files that are as they were. */
function blobId(content: Buffer, length: number): string {
  const hash = createHash(length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex')
}

/** Git's own, and what package managers install beside a lockfile. */
const LEFT_OUT = new Set(['.git', 'node_modules'])

/** Directories behind links are left out: they are not the checkout's. */
function coveredFiles(worktree: string, covers: (path: string) => boolean): string[] {
  const found: string[] = []
  const walk = (directory: string) => {
    for (const entry of entriesIn(join(worktree, directory))) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`
      if (LEFT_OUT.has(entry.name)) continue
      if (entry.isDirectory()) walk(path)
      else if (covers(path)) found.push(path)
      if (found.length > MOST_FILES) return
    }
  }
  walk('')
  return found.sort()
}

/** What was made of a tree once is made of it again: a car stays what agents were asked to build on, whatever a registry says now. */
function keyOf(tree: string, runs: readonly Run[]): string {
  const parts = [tree, ...runs.flatMap(({ rule, directory }) => [directory, rule.run])]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

type Results = Record<string, TreeEdit[]>

const MOST_RESULTS = 100

function resultsFile({ directory }: RegenerateHost): string {
  return join(directory, 'regenerated.json')
}

function readResults(host: RegenerateHost): Results {
  try {
    return JSON.parse(readIfThere(resultsFile(host)) ?? '{}') as Results
  } catch {
    // Making them again is the way to know.
    return {}
  }
}

async function readResult(host: RegenerateHost, vault: Repository, key: string): Promise<TreeEdit[] | null> {
  const edits = readResults(host)[key]
  if (!Array.isArray(edits)) return null
  const blobs = edits.flatMap(({ blob }) => blob ?? [])
  const input = blobs.map((blob) => `${blob}\n`).join('')
  const answer = await tryGitOn(vault, ['cat-file', '--batch-check=%(objecttype)'], { read: true, input })
  const types = answer.stdout.split('\n').filter(Boolean)
  return types.length === blobs.length && types.every((type) => type === 'blob') ? edits : null
}

function rememberResult(host: RegenerateHost, key: string, edits: TreeEdit[]): void {
  const kept = Object.entries(readResults(host)).slice(1 - MOST_RESULTS)
  writeFileAtomic(resultsFile(host), `${JSON.stringify(Object.fromEntries([...kept, [key, edits]]))}\n`)
}
