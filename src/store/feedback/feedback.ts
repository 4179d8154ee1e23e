// Agents' reports about ao itself: one KEY=VALUE file each, no duplicates, never removed.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { formatPairs } from '../../core/text/key-value.ts'
import { createFileExclusive, requireOwnVersion } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import { namesIn, readPlainText } from '../../lib/plain-file.ts'
import type { ProjectPaths } from '../paths.ts'
import { type FeedbackReport, readReport, reportPairs } from './feedback-report.ts'
import { type FeedbackInput, parseFeedbackInput } from './feedback-schema.ts'

export interface FeedbackStore {
  /** Throws USAGE when a field is missing or out of bounds. */
  add(input: unknown): Promise<AddedFeedback>
  /** Newest first. Unreadable files are listed, not dropped. */
  list(): { reports: FeedbackReport[]; damaged: Array<{ file: string; why: string }> }
  /** null: there is no such report. Throws METADATA_DAMAGED when it exists but is unreadable. */
  get(id: string): FeedbackReport | null
}

export interface AddedFeedback {
  id: string
  stored: boolean
  /** An earlier report with the same content; then nothing was stored and `id` is its id too. */
  duplicateOf?: string
}

/** A runaway agent must not fill the disk; a person has enough to read long before this. */
const MAX_REPORTS = 10_000
const FILE_NAME = /^(report_[A-Za-z0-9-]+_[0-9a-f]{8})\.kv$/

export function createFeedbackStore(options: { paths: Pick<ProjectPaths, 'feedback'>; clock: Clock }): FeedbackStore {
  const directory = options.paths.feedback
  return {
    async add(given) {
      const input = parseFeedbackInput(given)
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      // Check and store in one step, or two agents with the same report would both find nothing.
      return withLock(join(directory, '.lock'), () => addOnce(directory, input, options.clock))
    },
    list: () => listReports(directory),
    get: (id) => (FILE_NAME.test(`${id}.kv`) && listIds(directory).includes(id) ? readOrThrow(directory, id) : null),
  }
}

function addOnce(directory: string, input: FeedbackInput, clock: Clock): AddedFeedback {
  const dedupeKey = dedupeKeyOf(input)
  const { reports, damaged } = listReports(directory)
  const existing = reports.find((report) => report.dedupeKey === dedupeKey)
  if (existing) return { id: existing.id, stored: false, duplicateOf: existing.id }
  if (reports.length + damaged.length >= MAX_REPORTS) {
    throw new AoError('USAGE', `${directory} holds ${MAX_REPORTS} reports already`, {
      hint: 'Read them with: ao feedback ls, and move them elsewhere',
    })
  }
  return { id: storeReport(directory, { ...input, dedupeKey }, clock.now()), stored: true }
}

function storeReport(directory: string, content: FeedbackInput & { dedupeKey: string }, now: Date): string {
  const createdAt = now.toISOString()
  for (;;) {
    const id = `report_${createdAt.replace(/[:.]/g, '-')}_${randomUUID().slice(0, 8)}`
    const text = formatPairs(reportPairs({ ...content, version: '1', id, createdAt }))
    // A name clash within one millisecond is next to impossible; the next one is then free.
    if (createFileExclusive(join(directory, `${id}.kv`), text)) return id
  }
}

/** Based on content, not form: case, white space, the order of evidence and the confidence do not matter. */
export function dedupeKeyOf(input: FeedbackInput): string {
  const plain = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()
  const { tool, title, body, session, source, evidence } = input
  const content = [tool, ...[title, body, session, source].map(plain), evidence.map(plain).sort()]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
}

function listReports(directory: string): ReturnType<FeedbackStore['list']> {
  const reports: FeedbackReport[] = []
  const damaged: Array<{ file: string; why: string }> = []
  for (const id of listIds(directory)) {
    const file = join(directory, `${id}.kv`)
    const read = tryReport(id, file)
    if (typeof read === 'string') damaged.push({ file, why: read })
    else reports.push(read)
  }
  return { reports, damaged }
}

/** The report, or why it cannot be read. */
function tryReport(id: string, file: string): FeedbackReport | string {
  try {
    return readReport(id, readPlainText(file))
  } catch (error) {
    return errorText(error)
  }
}

function readOrThrow(directory: string, id: string): FeedbackReport {
  const file = join(directory, `${id}.kv`)
  const read = tryReport(id, file)
  if (typeof read !== 'string') return read
  requireOwnVersion(file)
  throw new AoError('METADATA_DAMAGED', `The report ${file} cannot be read: ${read}`, {
    hint: `Inspect it with: cat ${file}`,
  })
}

/** Names begin with the time, so that sorting by name sorts by time. */
function listIds(directory: string): string[] {
  return namesIn(directory)
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .sort()
    .reverse()
}
