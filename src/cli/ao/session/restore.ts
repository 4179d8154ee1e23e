// `ao session restore`: a session that ended runs again, with its conversation where the agent can resume it.
import type { Session } from '../../../contract/session.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { createProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { openAo } from '../open-ao.ts'
import { openSessions } from '../open-sessions.ts'
import { noteInterruption } from '../start/note-interruption.ts'

export const sessionRestoreCommand = defineCommand({
  name: 'session restore',
  about: 'Bring an ended session back, archived ones too',
  details:
    'A missing worktree is made again on its branch, and uncommitted work that was saved comes back.\nThe agent resumes its own conversation where it can; otherwise it starts afresh with the original prompt.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    verbose: { short: 'v', about: 'Say each step' },
    open: { about: 'Open the session in a terminal once it runs' },
    json: JSON_OPTION,
  },
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const progress = createProgress(io, { verbose: options.verbose })
    const done = noteInterruption(io, 'The restore was interrupted')
    let session: Session
    try {
      session = await ao.manager.restore(args.session, { onProgress: progress.step })
    } finally {
      progress.end()
      done()
    }
    if (options.json) io.json({ session: toSessionJson(session) })
    else {
      const place = session.branch === null ? `in ${session.workspacePath}` : `on branch ${session.branch}`
      io.print(`${io.style.green('restored')} ${io.style.bold(session.id)} ${place}`)
      io.print(`  workspace: ${session.workspacePath}`)
    }
    if (options.open) await openSessions(ao, [session], io)
  },
})
