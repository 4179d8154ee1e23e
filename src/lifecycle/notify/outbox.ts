// Undelivered notifications, one file each, and the keys of those already sent. Flat and bounded. Only the process that
// holds the loop's lock writes here.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { createFileExclusive, newerVersionIn, writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'
import type { Notification, NotificationPriority } from '../../slots/notifier.ts'

export interface OutboxTarget {
  name: string
  attempts: number
  /** Milliseconds since 1970. */
  retryAt: number
  lastError?: string
}

export interface OutboxMessage {
  id: string
  createdAt: number
  notification: Notification
  /** The targets that do not have it yet. */
  targets: OutboxTarget[]
}

export interface Outbox {
  /** false: this key was already sent, or is waiting here. */
  add(notification: Notification, targets: string[], now: number): boolean
  pending(): OutboxMessage[]
  /** Writes the new state; without targets the notification is done. */
  save(message: OutboxMessage): void
  /** What was evicted since the last call, for reporting. */
  takeDropped(): OutboxMessage[]
}

const MAX_MESSAGES = 1_000
const MAX_SENT = 5_000
const SENT_FILE = 'told.json'
const GIVES_WAY: readonly NotificationPriority[] = ['info', 'warning', 'action', 'urgent']

export function openOutbox(directory: string, maxMessages = MAX_MESSAGES): Outbox {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const messages = readMessages(directory)
  const sent = readSent(directory)
  const dropped: OutboxMessage[] = []
  const fileOf = (id: string) => join(directory, `${id}.json`)
  const remove = (id: string) => {
    removeFile(fileOf(id))
    messages.delete(id)
  }
  const makeRoom = () => {
    if (messages.size < maxMessages) return
    const victim = leastImportant([...messages.values()])
    remove(victim.id)
    dropped.push(victim)
  }
  return {
    add(notification, names, now) {
      const id = idOf(notification, now)
      if (sent.has(id) || messages.has(id)) return false
      const targets = names.map((name) => ({ name, attempts: 0, retryAt: 0 }))
      const message: OutboxMessage = { id, createdAt: now, notification, targets }
      // The message first: a crash in between leaves a message whose file says that it exists. For no one, none is left.
      if (targets.length > 0) {
        makeRoom()
        createFileExclusive(fileOf(id), JSON.stringify(message))
        messages.set(id, message)
      }
      sent.add(id)
      writeSent(directory, sent)
      return true
    },
    pending: () => [...messages.values()].sort((a, b) => a.createdAt - b.createdAt),
    save(message) {
      if (!messages.has(message.id)) return
      if (message.targets.length === 0) return remove(message.id)
      messages.set(message.id, message)
      writeFileAtomic(fileOf(message.id), JSON.stringify(message))
    },
    takeDropped: () => dropped.splice(0),
  }
}

/** Without a key every notification is unique. */
function idOf({ dedupeKey, ...rest }: Notification, now: number): string {
  const key = dedupeKey ?? JSON.stringify([now, rest])
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

function leastImportant(messages: OutboxMessage[]): OutboxMessage {
  const rank = ({ notification }: OutboxMessage) => GIVES_WAY.indexOf(notification.priority ?? 'info')
  return messages.reduce((least, one) => {
    const difference = rank(one) - rank(least)
    return difference < 0 || (difference === 0 && one.createdAt < least.createdAt) ? one : least
  })
}

function readMessages(directory: string): Map<string, OutboxMessage> {
  const messages = new Map<string, OutboxMessage>()
  for (const name of readdirSync(directory)) {
    if (!/^[0-9a-f]{32}\.json$/.test(name)) continue
    const message = readMessage(join(directory, name))
    if (message) messages.set(message.id, message)
    else if (newerVersionIn(join(directory, name)) === null) removeTree(join(directory, name))
  }
  return messages
}

function readMessage(file: string): OutboxMessage | null {
  try {
    const message = JSON.parse(readPlainText(file)) as unknown
    return isMessage(message) ? message : null
  } catch (error) {
    // Our writes are atomic plain files, so anything else was never ours.
    if (error instanceof SyntaxError || error instanceof AoError) return null
    throw error
  }
}

function isMessage(value: unknown): value is OutboxMessage {
  const message = value as Partial<OutboxMessage> | null
  if (typeof message?.id !== 'string' || typeof message.notification?.message !== 'string') return false
  return Array.isArray(message.targets) && message.targets.every((target) => typeof target?.name === 'string')
}

function readSent(directory: string): Set<string> {
  try {
    return new Set((JSON.parse(readPlainText(join(directory, SENT_FILE))) as unknown[]).map(String))
  } catch {
    // None yet, or damaged: a repeated notification has the same key, which the receiver can see.
    return new Set()
  }
}

/** A set keeps insertion order, so the oldest keys are forgotten first. */
function writeSent(directory: string, sent: Set<string>): void {
  for (const oldest of sent) {
    if (sent.size <= MAX_SENT) break
    sent.delete(oldest)
  }
  // Not fsynced: after a power loss a notification may be repeated, with a key that shows it.
  writeFileAtomic(join(directory, SENT_FILE), JSON.stringify([...sent]), { durable: false })
}
