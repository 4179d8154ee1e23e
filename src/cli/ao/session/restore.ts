// `ao session restore`: runs an ended session again, with its conversation where the agent can resume it.
import { AoError, errorText } from '../../../contract/errors.ts'
import type { Session } from '../../../contract/session.ts'
import { ACTS, ONE_SESSION } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { type Ao, openAo } from '../open-ao.ts'
import { openSessions } from '../open-sessions.ts'
import { lostSessions } from './lost-sessions.ts'

export const sessionRestoreCommand = defineCommand({
  name: 'session restore',
  about: 'Bring an ended session back, archived ones too, or start one that waits',
  details:
    'A missing worktree is made again, and saved uncommitted work comes back. The agent resumes its own conversation where it can; otherwise it starts afresh with the original prompt.',
  args: { session: { about: 'Session id', completes: 'session' } },
  options: {
    all: { about: 'Every session that was not ended on purpose, e.g. after a reboot' },
    verbose: { short: 'v', about: 'Print each step' },
    open: { about: 'Open the session in a terminal once it is running' },
    json: JSON_OPTION,
  },
  json: '{ session: Session }; with --all { restored: [Session], failed: [{ sessionId, message }] }',
  tool: {
    name: 'restore_session',
    title: 'Restore a session',
    description: 'Bring an ended session back, archived ones too, with its workspace and its uncommitted work.',
    hints: ACTS,
    input: { session: { required: true } },
    output: ONE_SESSION,
  },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    if (options.all) return restoreAll(ao, args.session, options, io)
    if (args.session === undefined) {
      throw new AoError('USAGE', 'Which session?', { hint: 'ao session restore <session>, or --all' })
    }
    const session = await restoreOne(ao, args.session, options, io)
    if (options.json) io.json({ session: toSessionJson(session) })
    else printRestored(session, io)
    if (options.open) await openSessions(ao, [session], io)
  },
})

interface RestoreChoice {
  verbose: boolean
  open: boolean
  json: boolean
}

async function restoreOne(ao: Ao, id: string, { verbose }: RestoreChoice, io: Io): Promise<Session> {
  const notices: string[] = []
  const onNotice = (line: string) => notices.push(line)
  try {
    return await withProgress(
      io,
      'The restore was interrupted',
      (onProgress) => ao.manager.restore(id, { onProgress, onNotice }),
      { verbose },
    )
  } finally {
    for (const line of notices) io.note(`${io.noteStyle.yellow('note:')} ${line}`)
  }
}

/** One at a time: each starts an agent. A failure does not affect the others, and the exit code reports it. */
async function restoreAll(ao: Ao, named: string | undefined, choice: RestoreChoice, io: Io): Promise<number> {
  if (named !== undefined) throw new AoError('USAGE', '--all takes no session', { hint: 'ao session restore --all' })
  const restored: Session[] = []
  const failed: Array<{ sessionId: string; message: string }> = []
  for (const { id } of await lostSessions(ao)) {
    try {
      const session = await restoreOne(ao, id, choice, io)
      restored.push(session)
      if (!choice.json) printRestored(session, io)
    } catch (error) {
      // Its spawn had been interrupted, and was rolled back on the way here.
      if (error instanceof AoError && error.code === 'SESSION_NOT_FOUND') continue
      failed.push({ sessionId: id, message: errorText(error) })
      if (!choice.json) io.note(`${io.noteStyle.yellow('not restored')} ${id}: ${errorText(error)}`)
    }
  }
  if (choice.json) io.json({ restored: restored.map((session) => toSessionJson(session)), failed })
  else if (restored.length + failed.length === 0) io.print('No session has ended by itself')
  if (choice.open) await openSessions(ao, restored, io)
  return failed.length > 0 ? 1 : 0
}

function printRestored(session: Session, io: Io): void {
  const where = session.branch === null ? `in ${session.workspacePath}` : `on branch ${session.branch}`
  io.print(`${io.style.green('restored')} ${io.style.bold(session.id)} ${where}`)
  io.print(`  workspace: ${session.workspacePath}`)
}
