// The files that go along with prompts: kept beside the event log of their session before the prompt is recorded, served from there,
// and sent to the agent in a form that it takes.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { ATTACHMENTS, type Attachment, type SentFile } from '../../../contract/agh/attachment.ts'
import { AoError } from '../../../contract/errors.ts'
import { promptBlock } from '../../../core/agh/session/prompt-form.ts'
import { keptName } from '../../../core/message/attachment.ts'
import { nowMs } from '../../../lib/clock.ts'
import { failpoint } from '../../../lib/failpoint.ts'
import { ignoreFailure } from '../../../lib/ignore-failure.ts'
import { findKept, givenFiles, keepFiles, readKept, sweepFiles } from '../../../store/attachments.ts'
import { sessionDirectory } from '../../paths.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'

/** On disk when it returns, or refused as a whole. */
export function takeFiles(context: AghContext, { meta }: LiveSession, files: readonly SentFile[]): Attachment[] {
  const kept = keepFiles(filesOf(context, meta.id), givenFiles(files))
  failpoint('agh-files-kept')
  return kept
}

/** What a daemon that was killed before it recorded their prompt left. */
export async function sweepAttached(context: AghContext, { meta, store }: LiveSession): Promise<void> {
  await ignoreFailure(`${meta.id} keeps files that no prompt names`, context.log, async () =>
    sweepFiles(filesOf(context, meta.id), nowMs(context), () => store.attachedHashes()),
  )
}

export function readAttached(context: AghContext, sessionId: string, sha256: string): Buffer {
  const bytes = findKept(filesOf(context, sessionId), sha256)
  if (bytes !== null) return bytes
  throw new AoError('ATTACHMENT_NOT_FOUND', `Session ${sessionId} has no file ${sha256.slice(0, 64)}`)
}

/** In the order in which the agent reads them: the files come last. */
export function promptContent(
  context: AghContext,
  session: LiveSession,
  texts: readonly string[],
  attachments: readonly Attachment[],
): ContentBlock[] {
  const directory = filesOf(context, session.meta.id)
  const workspace = session.farWorkspace ?? session.meta.workspace_path
  return [
    ...texts.map((text) => ({ type: 'text' as const, text })),
    ...attachments.map((one) =>
      promptBlock(one, session.state.abilities, {
        uri: pathToFileURL(one.path === undefined ? join(directory, keptName(one)) : join(workspace, one.path)).href,
        text: () => readKept(directory, one).toString('utf8'),
        base64: () => readKept(directory, one).toString('base64'),
      }),
    ),
  ]
}

function filesOf(context: AghContext, sessionId: string): string {
  return join(sessionDirectory(context.paths, sessionId), ATTACHMENTS)
}
