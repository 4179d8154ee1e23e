// Sessions in the user's terminals, through their project's terminal plugin.
import type { Session } from '../../contract/session.ts'
import type { Terminal, TerminalTarget } from '../../slots/terminal.ts'
import type { Io } from '../print/io.ts'
import type { Ao } from './open-ao.ts'
import { attachHere } from './session/attach-here.ts'
import { attachTarget } from './session/attach-target.ts'

/** This terminal: it needs a person in front of it. */
const HERE = 'attach'

export async function openSessions(ao: Ao, sessions: Session[], io: Io): Promise<void> {
  for (const [name, group] of Map.groupBy(sessions, (session) => terminalName(ao, session))) {
    if (name === HERE) {
      for (const session of group) await attachHere(ao, session, io)
      continue
    }
    await openIn(await ao.registry.load('terminal', name), await Promise.all(group.map((one) => attachTarget(ao, one))))
    for (const { id } of group) io.note(`opened ${id}`)
  }
}

async function openIn(terminal: Terminal, targets: TerminalTarget[]): Promise<void> {
  if (targets.length > 1 && terminal.openAll) return terminal.openAll(targets)
  for (const target of targets) await terminal.openSession(target)
}

function terminalName(ao: Ao, session: Session): string {
  return ao.config.projects[session.projectId]?.terminal ?? ao.config.plugins.terminal?.name ?? HERE
}
