// The user's `.claude.json`, which all their Claude sessions share: what must be in it so that no start-up dialog waits for
// an absent person. It is merged under a lock, atomically, and only when something is missing; a file that cannot be parsed
// is left alone.
import { mkdirSync, realpathSync, rmdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { asObject, type JsonObject, parseObject } from '../../core/text/json-fields.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { sleep } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import type { Log } from '../../lib/log.ts'
import { MAX_FOREIGN_BYTES, readPlainText } from '../../lib/plain-file.ts'

const WAIT_FOR_CLAUDE_MS = 2_000
/** Claude's own lock is a directory whose age shows whether its owner is still alive. */
const CLAUDE_LOCK_STALE_MS = 10_000

export async function seedAccountFile(file: string, seeds: Seeds, log: Log): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const target = resolveLinks(file)
  // The common case, which needs no lock: every seed is already there.
  if (plan(target, seeds, log) === null) return
  await withLock(join(dirname(target), `.${basename(target)}.ao-lock`), async () => {
    const release = await takeClaudeLock(target, log)
    try {
      const content = plan(target, seeds, log)
      if (content !== null) writeFileAtomic(target, content.text, { mode: content.mode, isForeign: true })
    } finally {
      release()
    }
  })
}

interface NewContent {
  text: string
  mode: number
}

/** The whole new file; null when it is already correct or must not be touched. */
function plan(file: string, seeds: Seeds, log: Log): NewContent | null {
  const current = readAccount(file, log)
  if (current === 'leave alone') return null
  const seeded = seedAccount(current.account, seeds)
  if (seeded === null) return null
  const end = current.text.endsWith('\n') ? '\n' : ''
  return { text: `${JSON.stringify(seeded, null, 2)}${end}`, mode: current.mode }
}

function readAccount(file: string, log: Log): { account: JsonObject; text: string; mode: number } | 'leave alone' {
  let text: string
  let mode: number
  try {
    text = readPlainText(file, { maxBytes: MAX_FOREIGN_BYTES })
    mode = statSync(file).mode & 0o777
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { account: {}, text: '', mode: 0o600 }
    log.warn(`${file} cannot be read, so Claude Code may show its start-up dialogs: ${errorText(error)}`)
    return 'leave alone'
  }
  // Claude itself starts anew on an empty file.
  if (text.trim() === '') return { account: {}, text, mode }
  const account = parseObject(text)
  if (account) return { account, text, mode }
  log.warn(`${file} is not a JSON object and was left alone, so Claude Code may show its start-up dialogs`)
  return 'leave alone'
}

/**
 * Claude locks the same file by the directory `{file}.lock`. If it is not released in time, we write all the same: the
 * write is atomic, and an agent that waits in a dialog forever does more harm.
 */
async function takeClaudeLock(file: string, log: Log): Promise<() => void> {
  const lock = `${file}.lock`
  const deadline = performance.now() + WAIT_FOR_CLAUDE_MS
  for (;;) {
    try {
      mkdirSync(lock)
      return () => releaseClaudeLock(lock)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isStale(lock) || performance.now() > deadline) {
      log.debug(`${lock} was not taken: its owner did not let go`)
      return () => undefined
    }
    await sleep(25)
  }
}

function releaseClaudeLock(lock: string): void {
  try {
    rmdirSync(lock)
  } catch (error) {
    // Claude judged it stale and took it over.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function isStale(lock: string): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > CLAUDE_LOCK_STALE_MS
  } catch {
    // Released just now: the next attempt acquires it.
    return false
  }
}

/** Dotfile managers make it a symbolic link; renaming over the link would detach it. */
function resolveLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    // It does not exist yet.
    return file
  }
}

interface Seeds {
  /** Absolute paths of the workspace, as given and as resolved. */
  workspacePaths: string[]
  apiKey: string | undefined
}

const SEEN_DIALOGS = ['hasCompletedOnboarding', 'hasSeenAutoDefaultNudge', 'hasSeenAutoModeEntryWarning'] as const

/** The account with the seeds added, everything else unchanged; null when nothing is missing. */
export function seedAccount(account: JsonObject, seeds: Seeds): JsonObject | null {
  const seeded: JsonObject = {
    ...account,
    ...Object.fromEntries(SEEN_DIALOGS.map((key) => [key, true])),
    projects: trustWorkspaces(asObject(account.projects), seeds.workspacePaths),
  }
  const responses = approveKey(asObject(account.customApiKeyResponses), seeds.apiKey)
  if (responses) seeded.customApiKeyResponses = responses
  return JSON.stringify(seeded) === JSON.stringify(account) ? null : seeded
}

function trustWorkspaces(projects: JsonObject, paths: string[]): JsonObject {
  const trusted = { ...projects }
  for (const path of paths) trusted[path] = { ...asObject(projects[path]), hasTrustDialogAccepted: true }
  return trusted
}

/** Claude remembers a key by its suffix. null: there is nothing to approve, or the user has refused this key. */
function approveKey(responses: JsonObject, apiKey: string | undefined): JsonObject | null {
  if (!apiKey) return null
  const end = apiKey.slice(-20)
  const approved = asList(responses.approved)
  if (approved.includes(end) || asList(responses.rejected).includes(end)) return null
  return { ...responses, approved: [...approved, end] }
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
