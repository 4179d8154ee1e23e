// `ao pr reply` and `ao pr resolve`: answers in the threads of a review, and settling them, on every forge.
import { AoError } from '../../../contract/errors.ts'
import type { ThreadTarget } from '../../../manager/attend/review-threads.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { BODY_OPTIONS, bodyOf } from '../issue/issue-text.ts'
import { type OpenProject, openProject } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

const THREAD_ARGUMENT = { about: 'The thread, or one of its comments', required: true } as const
const OPTIONS = { project: PROJECT_OPTION, json: JSON_OPTION } as const

export const prReplyCommand = defineCommand({
  name: 'pr reply',
  about: 'Reply in a review thread',
  details:
    "On every forge. The agent of a session answers with it on its own pull request; the answer is shown as the agent's, although the forge has one account for both of you.",
  args: { pr: PULL_ARGUMENT, thread: THREAD_ARGUMENT },
  options: { ...BODY_OPTIONS, ...OPTIONS },
  examples: [{ line: 'ao pr reply 7 comment-1f2e3d4c -b "Done: the limit is a constant now."', about: 'Answer' }],
  json: '{ url, thread, body }',
  async run({ args, options }, io) {
    const body = (await bodyOf(options, io)) ?? ''
    const target = await openTarget(io, args.pr, options.project)
    const { replyInThread } = await import('../../../manager/attend/review-threads.ts')
    const session = io.env.AO_SESSION
    const writer = session ? ({ kind: 'agent', session } as const) : ({ kind: 'person' } as const)
    await replyInThread(target, { thread: args.thread, body, writer })
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
    const { resolveThread } = await import('../../../manager/attend/review-threads.ts')
    const comment = await resolveThread(target, { thread: args.thread, resolved: !options.undo })
    if (options.json) return void io.json({ number: target.pr.number, comment })
    io.print(`${options.undo ? 'open again' : 'resolved'}: ${args.thread}`)
  },
})

async function openTarget(io: Io, reference: string, projectId: string | undefined): Promise<ThreadTarget> {
  const place = await openProject(io, projectId)
  const { config, project, registry } = place
  const choice = project.scm ?? config.plugins.scm?.name
  const scm = choice === undefined ? null : await registry.load('scm', choice)
  if (scm?.resolvePR === undefined) {
    throw new AoError('SCM_FAILED', `Project ${project.id} has no forge with pull requests`)
  }
  const target = { scm, project, pr: await scm.resolvePR(reference, project) }
  if (scm.threads?.recordsWriter !== true) await requireOwn(io, place, target.pr.url)
  return target
}

/** Elsewhere an agent writes with the user's account: on the pull request of its session, nowhere else. */
async function requireOwn(io: Io, { config, project }: OpenProject, url: string): Promise<void> {
  const session = io.env.AO_SESSION
  if (!session) return
  const [{ createSessionStore }, { createPaths }, { createLog }] = await Promise.all([
    import('../../../store/session/session-store.ts'),
    import('../../../store/paths.ts'),
    import('../../../lib/log.ts'),
  ])
  const { configPath } = config
  const paths = createPaths({ configPath, home: io.home, env: io.env }).project(project.id)
  const log = createLog(io.env.AO_LOG_LEVEL)
  const store = createSessionStore({ projectId: project.id, paths, configPath, clock: io.clock, log })
  if (store.read(session)?.record.pr === url) return
  throw new AoError('ROLE_REFUSED', `${url} is not the pull request of session ${session}`, {
    details: { url, session },
  })
}
