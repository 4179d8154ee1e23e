// What a session has done: its changes with their pictures, its commits, what its terminal showed. Also of an archived one.
import { commitsAnswer, diffAnswer, recordingAnswer } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { sendAttachment, sendImage } from '../../http/send-file.ts'
import { findAttachment } from '../../manager/message/attached-files.ts'
import { requireAnySession } from '../../manager/observe/require-session.ts'
import { route } from '../server/dashboard-route.ts'
import { DIFF_QUERY, IMAGE_QUERY, readDiffRequest, readImageRequest } from '../server/read-diff-request.ts'
import { messageImage } from './message-image.ts'
import { readTerminalRecording } from './session-recording.ts'

const ONE = '/api/sessions/:id'

export const WORK_ROUTES = [
  route({
    method: 'GET',
    path: `${ONE}/diff`,
    summary: 'Changes of its branch, uncommitted work included; or only a part of them',
    query: { ...DIFF_QUERY, uncommitted: '1: only uncommitted work' },
    answer: diffAnswer,
    handle: async ({ context, params, query }) =>
      context.manager.diff((await requireAnySession(context, params.id)).session, readDiffRequest(query)),
  }),
  route({
    method: 'GET',
    path: `${ONE}/image`,
    summary: 'A picture that it changes, before or after the change; only to be shown as a picture',
    query: { ...IMAGE_QUERY, uncommitted: '1: against the last commit' },
    stream: 'image/*',
    handle: async ({ context, params, query, response }) => {
      const { session } = await requireAnySession(context, params.id)
      const { sessionFile } = await import('../../manager/observe/session-diff.ts')
      return sendImage(response, await sessionFile(context, session, readImageRequest(query)), 'all')
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/messages/images/:sequence/:index`,
    summary: 'A picture in its conversation; only to be shown as a picture',
    stream: 'image/*',
    handle: async ({ context, params, response }) =>
      sendImage(response, await messageImage(context, params.id, params), 'pixels'),
  }),
  route({
    method: 'GET',
    path: `${ONE}/attachments/:hash`,
    summary: 'A file that went along with a message; only to be shown as a picture, or to be saved',
    stream: 'application/octet-stream',
    handle: async ({ context, params, response }) => {
      const { session } = await requireAnySession(context, params.id)
      const bytes = findAttachment(context.paths.project(session.projectId), session.id, params.hash)
      if (bytes === null) throw new AoError('ATTACHMENT_NOT_FOUND', `${session.id} has no such file`)
      return sendAttachment(response, bytes)
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/commits`,
    summary: 'The commits of its branch, oldest first',
    answer: commitsAnswer,
    handle: async ({ context, params }) => ({
      commits: await context.manager.commits((await requireAnySession(context, params.id)).session),
    }),
  }),
  route({
    method: 'GET',
    path: `${ONE}/recording`,
    summary: 'What its terminal showed last, also after its end; all of it: ao session log --cast',
    answer: recordingAnswer,
    handle: async ({ context, params }) => readTerminalRecording(await requireAnySession(context, params.id)),
  }),
]
