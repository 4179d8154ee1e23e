// A session with its attach command, as a terminal is given it.
import type { Session } from '../../src/contract/session.ts'
import type { TerminalTarget } from '../../src/slots/terminal.ts'

export function target(id: string): TerminalTarget {
  const name = `0123456789ab-${id}`
  const at = new Date('2026-03-01T10:00:00.000Z')
  const session: Session = {
    id,
    projectId: 'myapp',
    status: 'working',
    activity: 'active',
    branch: `feat/${id}`,
    issueId: null,
    pr: null,
    workspacePath: null,
    runtimeHandle: { id: name, runtimeName: 'tmux' },
    agentInfo: null,
    createdAt: at,
    lastActivityAt: at,
    metadata: {},
  }
  const command = ['tmux', '-L', 'ao', 'attach-session', '-t', `=${name}`]
  return { session, attach: { type: 'tmux', target: name, command } }
}
