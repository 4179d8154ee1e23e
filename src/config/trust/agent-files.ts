// The files in a checkout that its agents obey, as items of consent: the exact content, links followed.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ONLY_WHEN_TRACKED } from '../../contract/agents/agent-files.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { realPathOf } from '../../lib/inside-directory.ts'
import { readBytes, readPlainText } from '../../lib/plain-file.ts'
import { makeItem, type TrustItem } from './trust-items.ts'

export interface Checkout {
  directory: string
  /** Does git track this path, or anything below it? */
  isTracked(path: string): Promise<boolean>
}

export interface AgentFilesOwner {
  configPath: string
  project: string
}

/** One item for each existing entry of `entries`. */
export async function agentFileItems(
  checkout: Checkout,
  entries: readonly string[],
  owner: AgentFilesOwner,
): Promise<TrustItem[]> {
  const items: TrustItem[] = []
  for (const entry of entries) {
    const files = await readEntry(checkout, entry)
    if (files.length > 0) items.push(itemOf(entry, files, owner))
  }
  return items
}

interface AgentFile {
  /** From the root of the checkout. */
  path: string
  /** The target, for a link. */
  link: string | null
  /** null: a broken link. */
  content: Buffer | null
}

function itemOf(entry: string, files: AgentFile[], { configPath, project }: AgentFilesOwner): TrustItem {
  const digests = files.map(({ path, link, content }) => [path, link, content && sha256(content)])
  const names = files.map(({ path }) => path)
  const listed = names.length > 6 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
  return makeItem({
    kind: 'agent-files',
    project,
    configPath,
    at: [entry],
    what: `agents of project ${project} obey these files of the repository: ${listed}`,
    lines: files.flatMap(showFile),
    content: [entry, JSON.stringify(digests)],
  })
}

const MOST_FILES = 2_000
const MOST_BYTES = 16 * 1024 * 1024
const LONGEST_SHOWN = 64 * 1024

function showFile({ path, link, content }: AgentFile): string[] {
  const head = link === null ? `${path}:` : `${path} (a link to ${link}):`
  if (content === null) return [`${head} there is nothing`]
  const isText = !content.includes(0) && content.length <= LONGEST_SHOWN
  if (!isText) return [`${head} ${content.length} bytes with the SHA-256 ${sha256(content)}`]
  const text = content.toString('utf8').replace(/\n$/, '')
  return [head, ...text.split('\n').map((line) => `  ${line.replaceAll('\t', '  ')}`)]
}

interface Walk {
  checkout: Checkout
  files: AgentFile[]
  bytes: number
  /** Real directories on the way, so that a link to one of them terminates. */
  within: readonly string[]
}

async function readEntry(checkout: Checkout, entry: string): Promise<AgentFile[]> {
  if (lstatSync(join(checkout.directory, entry), { throwIfNoEntry: false }) === undefined) return []
  if (ONLY_WHEN_TRACKED.includes(entry) && !(await checkout.isTracked(entry))) return []
  const walk: Walk = { checkout, files: [], bytes: 0, within: [] }
  await visit(walk, entry)
  return walk.files
}

async function visit(walk: Walk, path: string): Promise<void> {
  const full = join(walk.checkout.directory, path)
  const stats = lstatSync(full, { throwIfNoEntry: false })
  if (stats === undefined || (await isOwn(walk.checkout, path))) return
  const link = stats.isSymbolicLink() ? readlinkSync(full) : null
  const real = realPathOf(full)
  const target = link === null || real === null ? stats : lstatSync(real, { throwIfNoEntry: false })
  if (real !== null && target?.isDirectory()) return visitDirectory(walk, { path, link, real })
  add(walk, { path, link, content: target === undefined || real === null ? null : readPlain(walk, real, path) })
}

async function visitDirectory(walk: Walk, { path, link, real }: { path: string; link: string | null; real: string }) {
  if (link !== null) add(walk, { path, link, content: null })
  if (walk.within.includes(real)) return
  const outer = walk.within
  walk.within = [...outer, real]
  for (const name of readdirSync(real).sort()) await visit(walk, `${path}/${name}`)
  walk.within = outer
}

function add(walk: Walk, file: AgentFile): void {
  walk.files.push(file)
  walk.bytes += file.content?.length ?? 0
  if (walk.files.length > MOST_FILES || walk.bytes > MOST_BYTES) throw unreadable(file.path, 'there is too much of it')
}

/** What the agent itself created in this checkout, not the repository: installed packages, other worktrees, answers. */
async function isOwn(checkout: Checkout, path: string): Promise<boolean> {
  const isCandidate = /(^|\/)node_modules$/.test(path) || path === '.claude/worktrees' || path === LOCAL_SETTINGS
  if (!isCandidate || (await checkout.isTracked(path))) return false
  return path !== LOCAL_SETTINGS || holdsOnlyAnswers(join(checkout.directory, path))
}

const LOCAL_SETTINGS = '.claude/settings.local.json'

/** "Yes, and don't ask again" writes into this file. Anything else in it needs consent as usual. */
function holdsOnlyAnswers(file: string): boolean {
  try {
    if (!lstatSync(file).isFile()) return false
    const settings = JSON.parse(readPlainText(file)) as Record<string, unknown>
    const permissions = (settings.permissions ?? {}) as Record<string, unknown>
    return (
      Object.keys(settings).every((key) => key === 'permissions') &&
      Object.keys(permissions).every((key) => ['allow', 'deny', 'ask'].includes(key))
    )
  } catch {
    // Anything that cannot be parsed is shown and needs consent.
    return false
  }
}

function readPlain(walk: Walk, real: string, path: string): Buffer {
  try {
    return readBytes(real, { maxBytes: MOST_BYTES - walk.bytes })
  } catch (error) {
    throw unreadable(path, errorText(error))
  }
}

function unreadable(path: string, why: string): AoError {
  return new AoError('CONFIG_UNTRUSTED', `The agent would obey ${path}, which cannot be agreed to: ${why}`, {
    hint: `Remove ${path} from the repository, or make it smaller`,
    details: { path },
  })
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
