// What an export says about itself, and what is believed of it. Pure.
import { FORMATS } from '../../contract/formats.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import { isObject } from '../text/json-fields.ts'

export const EXPORT_FORMAT = 'ao-session'
export const EXPORT_VERSION = FORMATS.export

/** An import takes no more: files, its manifest included, and bytes, packed and unpacked. */
export const EXPORT_LIMITS = { files: 1_000, bytes: 512 * 1024 * 1024 }

export interface ExportedRescue {
  number: number
  commit: string
  settled: boolean
}

export interface Manifest {
  format: typeof EXPORT_FORMAT
  version: number
  exportedAt: string
  aoVersion: string
  session: { id: string; project: string }
  branch: { name: string; commit: string } | null
  rescues: ExportedRescue[]
  /** Every other file of the archive. */
  files: Record<string, { bytes: number; sha256: string }>
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const MAX_RESCUES = 1_000

/** Throws an Error that says what is wrong with it. */
export function parseManifest(text: string): Manifest {
  const value = parseObject(text)
  if (value.format !== EXPORT_FORMAT) throw new Error('its manifest is not that of an exported session')
  if (value.version !== EXPORT_VERSION) {
    throw new Error(`it has version ${String(value.version)} of the format; this ao reads version ${EXPORT_VERSION}`)
  }
  const { session, branch, rescues, files, exportedAt, aoVersion } = value
  const isWhole =
    isObject(session) && isText(session.id) && isText(session.project) && isText(exportedAt) && isText(aoVersion)
  if (!isWhole || !isBranch(branch) || !isRescues(rescues) || !isFiles(files)) {
    throw new Error('its manifest is not complete')
  }
  return value as unknown as Manifest
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('its manifest is not valid JSON')
  }
  if (isObject(value)) return value
  throw new Error('its manifest is not an object')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 512
}

function isBranch(value: unknown): boolean {
  return value === null || (isObject(value) && isText(value.name) && isCommit(value.commit))
}

function isCommit(value: unknown): boolean {
  return typeof value === 'string' && COMMIT.test(value)
}

function isRescues(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > MAX_RESCUES) return false
  return value.every(
    (one) =>
      isObject(one) &&
      Number.isInteger(one.number) &&
      (one.number as number) > 0 &&
      isCommit(one.commit) &&
      typeof one.settled === 'boolean',
  )
}

function isFiles(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.values(value).every(
    (one) =>
      isObject(one) &&
      Number.isInteger(one.bytes) &&
      (one.bytes as number) >= 0 &&
      typeof one.sha256 === 'string' &&
      /^[0-9a-f]{64}$/.test(one.sha256),
  )
}

/** What of a record is about the work. The rest is about another machine: processes, paths, ports, its own settings. */
export function travellingRecord(record: SessionRecord): RecordChange {
  const { agent, model, issue, issueTitle, issueLabels, userPrompt, createdAt, launch, summary, pinnedSummary } = record
  const { usageTokens, usageCostUsd, usageAt, usageModel, endedAs, prTitle, pr } = record
  const isElsewhere = pr?.startsWith('https://') === true
  return {
    ...{ agent, model, issue, issueTitle, issueLabels, userPrompt, createdAt, launch, summary, pinnedSummary },
    ...{ usageTokens, usageCostUsd, usageAt, usageModel },
    // A pull request that ao itself kept stays where it was.
    pr: isElsewhere ? pr : undefined,
    prTitle: isElsewhere ? prTitle : undefined,
    endedAs: endedAs ?? 'killed',
    launched: 'yes',
    role: 'worker',
  }
}
