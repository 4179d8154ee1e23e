// One file with everything that another machine needs to continue a session: what it is, what happened, what its terminal showed,
// and its work as a git bundle. Reads only; the file is written whole or not at all.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ATTACHMENTS } from '../../contract/agh/attachment.ts'
import { AoError } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { EXPORT_FORMAT, EXPORT_LIMITS, EXPORT_VERSION, type Manifest } from '../../core/session/export-manifest.ts'
import { plural } from '../../core/text/format-age.ts'
import { formatPairs } from '../../core/text/key-value.ts'
import { redact, redactValue, secretValues } from '../../core/text/redact.ts'
import { type TarFile, writeTar } from '../../core/text/tar.ts'
import { lastLines, tryGit } from '../../git/git.ts'
import { openRepository, type Repository, resolveRef } from '../../git/repository.ts'
import { listRescues } from '../../git/rescue/rescue-commit.ts'
import { writeBundle } from '../../git/transfer/bundle.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { MAX_FOREIGN_BYTES, readBytes, readIfThere } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { readKept } from '../../store/copied-attachments.ts'
import { listParts, partName, recordingDirectory } from '../../store/recording/recording-files.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { findActive, findArchived, type ManagerContext, requireProject, sessionNotFound } from '../context.ts'
import { attachmentDirectory } from '../message/attached-files.ts'
import type { Exported, ExportOptions } from '../types.ts'
import { readImportedTranscript } from './imported-transcript.ts'

export async function exportSession(
  context: ManagerContext,
  sessionId: string,
  { file, committedOnly = false }: ExportOptions,
): Promise<Exported> {
  const { session, store, pairs } = find(context, sessionId)
  const repository = openRepository(requireProject(context, session.projectId).path, context.env)
  if (!committedOnly) await refuseUncommitted(context, session)
  const scratch = mkdtempSync(join(tmpdir(), 'ao-export-'))
  try {
    const work = await bundleWork(repository, session, join(scratch, 'work.bundle'))
    const secrets = secretValues(context.env)
    const others = [
      textFile('record', formatPairs(redactPairs(pairs, secrets))),
      textFile('history.jsonl', historyOf(store, sessionId, secrets)),
      ...promptOf(store, sessionId, secrets),
      ...terminalOf(store, sessionId),
      ...(await transcriptOf(context, sessionId, secrets)),
      ...work.files,
    ]
    const { kept, leftOut } = readKept(attachmentDirectory(store.paths, sessionId), roomBeside(others))
    // As they were sent.
    const files = [...others, ...kept.map(({ name, bytes }) => ({ name: `${ATTACHMENTS}/${name}`, bytes }))]
    const manifest = manifestOf(context, session, work, files)
    const tar = writeTar([textFile('manifest.json', JSON.stringify(manifest, null, 2)), ...files])
    const bytes = gzipSync(Buffer.concat(tar))
    failpoint('export.packed')
    if (!createFileExclusive(file, bytes, { mode: 0o600 })) {
      throw new AoError('USAGE', `${file} exists already`, { hint: 'Name another file' })
    }
    return { file, bytes: bytes.length, manifest, leftOut }
  } finally {
    removeTree(scratch)
  }
}

function find(
  context: ManagerContext,
  sessionId: string,
): { session: Session; store: SessionStore; pairs: Record<string, string> } {
  const found = findActive(context, sessionId) ?? findArchived(context, sessionId)
  if (!found) throw sessionNotFound(context, sessionId)
  const { id, pairs } = found.stored
  const session = storedSession({ id, pairs }, found.project.id)
  if (recordOf(session).role === 'orchestrator') {
    throw new AoError('USAGE', `${sessionId} is an orchestrator: it has no work of its own to export`)
  }
  return { session, store: found.store, pairs }
}

/** Work that exists nowhere else must not be left behind without a word. */
async function refuseUncommitted({ env }: ManagerContext, session: Session): Promise<void> {
  const { worktree } = recordOf(session)
  if (worktree === undefined || !existsSync(worktree)) return
  const refuse = (message: string, hint: string) =>
    new AoError('WORKSPACE_NOT_SAVED', message, { hint, details: { sessionId: session.id, worktree } })
  const status = await tryGit(worktree, ['status', '--porcelain', '-uall'], { env, read: true })
  if (!status.ok) {
    throw refuse(
      `Could not tell whether ${session.id} has uncommitted work in ${worktree}: ${lastLines(status.stderr)}`,
      'Export only the committed work with: --committed-only',
    )
  }
  const changed = status.stdout.trim()
  if (changed === '') return
  throw refuse(
    `${session.id} has uncommitted work in ${worktree} (${plural(changed.split('\n').length, 'file')})`,
    `Save them with: ao session kill ${session.id} --purge (they are exported and restored then), or leave them out with --committed-only`,
  )
}

interface Work {
  branch: Manifest['branch']
  rescues: Manifest['rescues']
  files: TarFile[]
}

async function bundleWork(repository: Repository, session: Session, file: string): Promise<Work> {
  const { branch: name } = recordOf(session)
  const commit = name === undefined ? null : await resolveRef(repository, `refs/heads/${name}`)
  const rescues = await listRescues(repository, session.id)
  const refs = [...(commit === null ? [] : [`refs/heads/${name}`]), ...rescues.map(({ ref }) => ref)]
  const isThere = await writeBundle(repository, file, refs)
  return {
    branch: name === undefined || commit === null ? null : { name, commit },
    rescues: rescues.map(({ number, commit: saved, settled }) => ({ number, commit: saved, settled })),
    files: isThere ? [{ name: 'work.bundle', bytes: readBytes(file, { maxBytes: MAX_FOREIGN_BYTES }) }] : [],
  }
}

function redactPairs(pairs: Record<string, string>, secrets: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).map(([key, value]) => [key, redact(value, secrets)]))
}

function historyOf(store: SessionStore, sessionId: string, secrets: string[]): string {
  const { events } = store.readHistory(sessionId)
  return events.map((event) => `${JSON.stringify(redactValue(event, secrets))}\n`).join('')
}

function promptOf(store: SessionStore, sessionId: string, secrets: string[]): TarFile[] {
  const prompt = readPrompt(store.paths.stateDir(sessionId))
  return prompt === null ? [] : [textFile('prompt.md', redact(prompt, secrets))]
}

/** Redacted when they were recorded. The recorder of a running agent may drop the oldest of them at any moment. */
function terminalOf(store: SessionStore, sessionId: string): TarFile[] {
  const parts = listParts(recordingDirectory(store.paths.stateDir(sessionId)))
  return parts.flatMap(({ path, number }) => {
    const text = readIfThere(path, { noFollow: true })
    return text === null ? [] : [textFile(`terminal/${partName(number)}`, text)]
  })
}

/** Headers, padding and manifest of as many files as there can be, and what gzip adds to bytes that it cannot make smaller. */
const OVERHEAD = 4 * 1024 * 1024

/** What an import takes besides these files and the manifest. */
function roomBeside(files: readonly TarFile[]): { files: number; bytes: number } {
  const used = files.reduce((sum, { bytes }) => sum + bytes.length, OVERHEAD)
  return { files: EXPORT_LIMITS.files - files.length - 1, bytes: EXPORT_LIMITS.bytes - used }
}

/** Of a session that speaks ACP: from its runtime, or from the export that brought it here. */
async function transcriptOf(context: ManagerContext, sessionId: string, secrets: string[]): Promise<TarFile[]> {
  const found = findActive(context, sessionId) ?? findArchived(context, sessionId)
  const imported = found && readImportedTranscript(found.store.paths.stateDir(sessionId))
  if (imported) return [textFile('transcript.json', imported)]
  try {
    const { readTranscript } = await import('../observe/session-events.ts')
    const { messages } = await readTranscript(context, sessionId)
    return [textFile('transcript.json', JSON.stringify(redactValue(messages, secrets)))]
  } catch {
    // It has a terminal instead, or its runtime is no longer here; the rest is worth having.
    return []
  }
}

function manifestOf(
  { clock }: ManagerContext,
  session: Session,
  { branch, rescues }: Work,
  files: TarFile[],
): Manifest {
  return {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    exportedAt: clock.now().toISOString(),
    aoVersion: AO_VERSION ?? 'development',
    session: { id: session.id, project: session.projectId },
    branch,
    rescues,
    files: Object.fromEntries(files.map(({ name, bytes }) => [name, { bytes: bytes.length, sha256: sha256Of(bytes) }])),
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function textFile(name: string, text: string): TarFile {
  return { name, bytes: Buffer.from(text) }
}
