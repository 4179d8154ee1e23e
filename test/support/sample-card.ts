// A card of the board for tests of what is made from one.
import type { SessionCard } from '../../src/contract/dashboard/cards.ts'
import type { PermissionRequest } from '../../src/contract/permission.ts'

export function sampleCard(overrides: Partial<SessionCard> = {}): SessionCard {
  return {
    id: 'app-1',
    projectId: 'app',
    role: 'worker',
    title: 'Add a switch',
    status: 'working',
    waits: null,
    activity: 'active',
    unknown: null,
    paused: null,
    column: 'working',
    need: null,
    snoozedUntil: null,
    statusSince: '2026-03-04T11:00:00.000Z',
    evidence: [],
    agent: 'demo',
    account: null,
    runtime: 'tmux',
    place: null,
    model: null,
    branch: 'session/app-1',
    issue: null,
    pr: null,
    otherPulls: [],
    task: null,
    createdAt: '2026-03-04T10:00:00.000Z',
    lastActivityAt: '2026-03-04T11:55:00.000Z',
    operation: null,
    cost: null,
    spent: null,
    budget: { limitUsd: null, over: null },
    limitResetsAt: null,
    lastMessage: null,
    permissions: [],
    meets: [],
    changedChecks: [],
    findings: [],
    can: { send: true, kill: true, remove: false, restore: false, start: false, merge: false, view: 'terminal' },
    ...overrides,
  }
}

/** One that asks for exactly this. */
export function askingCard(id: string, request: Partial<PermissionRequest> = {}): SessionCard {
  const whole: PermissionRequest = {
    requestId: 'perm-1',
    title: 'rm -rf build',
    kind: 'execute',
    options: [
      { optionId: 'yes', name: 'Yes', decision: 'allow-once' },
      { optionId: 'no', name: 'No', decision: 'reject-once' },
      { optionId: 'always', name: 'Always', decision: 'allow-always' },
    ],
    askedAt: '2026-03-04T11:59:00.000Z',
    expiresAt: null,
    ...request,
  }
  const { requestId, title, askedAt } = whole
  return sampleCard({
    id,
    status: 'needs_input',
    column: 'needs_you',
    permissions: [whole as SessionCard['permissions'][number]],
    need: {
      kind: 'permission',
      matter: title,
      cause: null,
      since: askedAt,
      deadline: null,
      acts: ['allow', 'reject'],
      requestId,
    },
  })
}
