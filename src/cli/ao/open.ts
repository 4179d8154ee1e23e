// `ao open`: one session, those of a project, or all, in the user's chosen terminal.

import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { requireSession } from '../../manager/observe/require-session.ts'
import { defineCommand } from '../command.ts'
import { type Ao, openAo } from './open-ao.ts'
import { openSessions } from './open-sessions.ts'

export const openCommand = defineCommand({
  name: 'open',
  about: 'Open sessions with the terminal plugin: this terminal, a tab, or the browser',
  details: 'Which one is projects.<id>.terminal or plugins.terminal.name; by default this terminal.',
  args: { target: { about: 'Session id, project id, or all (default)', completes: 'open-target' } },
  async run({ args }, io) {
    const ao = await openAo(io)
    const sessions = await findTargets(ao, args.target ?? 'all')
    if (sessions.length === 0) {
      throw new AoError('SESSION_NOT_FOUND', 'No session is running there', {
        hint: 'Start one with: ao spawn <issue>',
      })
    }
    await openSessions(ao, sessions, io)
    return 0
  },
})

async function findTargets(ao: Ao, target: string): Promise<Session[]> {
  const isProject = Object.hasOwn(ao.config.projects, target)
  if (target !== 'all' && !isProject) return [await requireSession(ao.context, target)]
  const sessions = await ao.manager.list(isProject ? target : undefined)
  return sessions.filter((session) => !isTerminalSession(session))
}
