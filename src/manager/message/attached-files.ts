// The files that go along with messages of a session: kept with its private files before anything names them, and put into the
// workspace, here or in its place, before the agent hears of them.
import { join } from 'node:path'
import { ATTACHMENTS, type Attachment, type GivenFile } from '../../contract/agh/attachment.ts'
import { AoError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { inWorkspace, nameAttachments } from '../../core/message/attachment.ts'
import { writeAttachmentFile } from '../../inside/write-message-file.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { examineFiles, findKept, keepFiles, readKept, sweepFiles } from '../../store/attachments.ts'
import type { ProjectPaths } from '../../store/paths.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { Addressee } from '../active.ts'

export function attachmentDirectory(paths: ProjectPaths, sessionId: string): string {
  return join(paths.stateDir(sessionId), ATTACHMENTS)
}

/** What they are, and where the agent will find them; nothing is written. Throws ATTACHMENT_REFUSED. */
export function describeAttachments(files: readonly GivenFile[]): Attachment[] {
  return examineFiles(files).map(inWorkspace)
}

/** A prompt names the files that come with it, so that it is the same whenever the agent gets it. */
export function namingFiles(prompt: string | undefined, files: readonly GivenFile[]): string {
  return nameAttachments(prompt ?? '', describeAttachments(files))
}

/** On disk when it returns, all of them. */
export function keepAttachments(paths: ProjectPaths, sessionId: string, files: readonly GivenFile[]): void {
  keepFiles(attachmentDirectory(paths, sessionId), files)
  failpoint('send.files-kept')
}

export function readAttachment(paths: ProjectPaths, sessionId: string, attachment: Attachment): Buffer {
  return readKept(attachmentDirectory(paths, sessionId), attachment)
}

/** null: the session has none of this hash. */
export function findAttachment(paths: ProjectPaths, sessionId: string, sha256: string): Buffer | null {
  return findKept(attachmentDirectory(paths, sessionId), sha256)
}

/** Removes what senders that were killed left behind. */
export function sweepAttachments(store: SessionStore, sessionId: string, now: Date): void {
  sweepFiles(attachmentDirectory(store.paths, sessionId), now.getTime(), () => {
    const { events } = store.readHistory(sessionId)
    const ofPrompt = store.read(sessionId)?.record.attachments ?? []
    return new Set([...events.flatMap(attachmentsOf), ...ofPrompt].map(({ sha256 }) => sha256))
  })
}

function attachmentsOf(event: SessionEvent): readonly Attachment[] {
  return event.type === 'message.queued' ? (event.attachments ?? []) : []
}

type Recipient = Pick<Addressee, 'project' | 'session' | 'runtime'>

/** Throws when there is no way to bring a file to this agent. */
export function requireRoute(
  { session, runtime }: Omit<Recipient, 'project'>,
  attachments: readonly Attachment[],
): void {
  const canWrite = runtime.elsewhere ? runtime.elsewhere.writeAttachment !== undefined : session.workspacePath !== null
  if (attachments.length === 0 || canWrite) return
  throw new AoError('MESSAGE_REFUSED', `ao cannot put a file into the workspace of ${session.id}`, {
    hint: 'Commit it as a file and send its name',
    details: { sessionId: session.id },
  })
}

/** In the workspace when it resolves. Throws MESSAGE_REFUSED. */
export async function putInWorkspace(
  paths: ProjectPaths,
  { project, session, runtime }: Recipient,
  attachments: readonly Attachment[],
): Promise<void> {
  for (const attachment of attachments) {
    const bytes = readAttachment(paths, session.id, attachment)
    if (runtime.elsewhere) await runtime.elsewhere.writeAttachment?.(session.runtimeHandle!, attachment, bytes)
    else writeAttachmentFile({ path: session.workspacePath!, ownCheckout: project.path }, attachment, bytes)
  }
}
