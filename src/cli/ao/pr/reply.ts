// `ao pr reply` and `ao pr resolve`: answers in the threads of a review, and settling them, on every forge.

import { IN_A_SESSION } from '../../../core/boundary/rights.ts'
import type { PullTarget } from '../../../landing/read-pull.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { BODY_OPTIONS, bodyOf } from '../issue/issue-text.ts'
import { PULL_ARGUMENT } from './find-pull.ts'
import { openPulls } from './open-forge.ts'
import { requireOwn, writerOf } from './writer.ts'

const THREAD_ARGUMENT = { about: 'The thread, or one of its comments', required: true } as const
const OPTIONS = { project: PROJECT_OPTION, json: JSON_OPTION } as const

export const prReplyCommand = defineCommand({
  name: 'pr reply',
  inside: IN_A_SESSION,
  about: 'Reply in a review thread',
  details: "The agent of a session answers with it on its own pull request, and the answer is shown as the agent's.",
  args: { pr: PULL_ARGUMENT, thread: THREAD_ARGUMENT },
  options: { ...BODY_OPTIONS, ...OPTIONS },
  examples: [{ line: 'ao pr reply 7 comment-1f2e3d4c -b "Done: the limit is a constant now."', about: 'Answer' }],
  json: '{ url, thread, body }',
  async run({ args, options }, io) {
    const body = (await bodyOf(options, io)) ?? ''
    const target = await openTarget(io, args.pr, options.project)
    const { replyInThread } = await import('../../../manager/pulls/review-threads.ts')
    await replyInThread(target, { thread: args.thread, body, writer: writerOf(io) })
    if (options.json) return void io.json({ url: target.pr.url, thread: args.thread, body: body.trim() })
    io.print(`answered in ${args.thread}`)
  },
})

export const prResolveCommand = defineCommand({
  name: 'pr resolve',
  about: 'Resolve a review thread',
  args: { pr: PULL_ARGUMENT, thread: THREAD_ARGUMENT },
  options: { undo: { about: 'Mark it as open again' }, ...OPTIONS },
  json: '{ number, comment: { id, isResolved, … } }',
  async run({ args, options }, io) {
    const target = await openTarget(io, args.pr, options.project)
    const { resolveThread } = await import('../../../manager/pulls/review-threads.ts')
    const comment = await resolveThread(target, { thread: args.thread, resolved: !options.undo })
    if (options.json) return void io.json({ number: target.pr.number, comment })
    io.print(`${options.undo ? 'open again' : 'resolved'}: ${args.thread}`)
  },
})

async function openTarget(io: Io, reference: string, projectId: string | undefined): Promise<PullTarget> {
  const opened = await openPulls(io, projectId)
  const { findRef } = await import('../../../manager/pulls/find-pull.ts')
  const target = { ...opened, pr: await findRef(opened, reference) }
  await requireOwn(io, target)
  return target
}
