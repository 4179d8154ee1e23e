// A session for tests of what is made from one.
import type { Session } from '../../src/contract/session.ts'

export function sampleSession(overrides: Partial<Session> = {}): Session {
  return {
    id: 'app-1',
    projectId: 'app',
    status: 'working',
    activity: 'active',
    branch: 'feat/42',
    issueId: '42',
    pr: null,
    workspacePath: '/home/someone/.worktrees/app/app-1',
    runtimeHandle: { id: 'a3b4c5d6e7f8-app-1', runtimeName: 'tmux' },
    agentInfo: null,
    createdAt: new Date('2026-03-04T10:00:00.000Z'),
    lastActivityAt: new Date('2026-03-04T11:55:00.000Z'),
    metadata: { agent: 'claude-code', tmuxName: 'a3b4c5d6e7f8-app-1' },
    ...overrides,
  }
}
