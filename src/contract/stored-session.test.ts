import { describe, expect, it } from 'vitest'
import { parsePairs } from '../core/text/key-value.ts'
import { SESSION_STATUSES } from './status.ts'
import { metadataToSession } from './stored-session.ts'

const SAMPLE = `project=my-app
worktree=/Users/foo/.agent-orchestrator/a3b4c5d6e7f8-my-app/worktrees/my-app-1
branch=feat/INT-1234
status=working
tmuxName=a3b4c5d6e7f8-my-app-1
pr=https://github.com/org/repo/pull/42
issue=INT-1234
summary=Fix login authentication bug
agent=claude-code
createdAt=2026-03-04T10:30:00.000Z
runtimeHandle={"id":"a3b4c5d6e7f8-my-app-1","runtimeName":"tmux"}
`

function session(raw: Record<string, string>, modifiedAt?: Date) {
  return metadataToSession('svc-1', raw, modifiedAt ? { modifiedAt } : {})
}

describe('the sample of the contract', () => {
  it('S2.85 S2.44 S0.70 becomes a session', () => {
    const made = metadataToSession('my-app-1', parsePairs(SAMPLE).pairs)
    expect(made).toMatchObject({
      id: 'my-app-1',
      projectId: 'my-app',
      status: 'working',
      activity: null,
      branch: 'feat/INT-1234',
      issueId: 'INT-1234',
      pr: { url: 'https://github.com/org/repo/pull/42', number: 42, owner: 'org', repo: 'repo' },
      workspacePath: '/Users/foo/.agent-orchestrator/a3b4c5d6e7f8-my-app/worktrees/my-app-1',
      runtimeHandle: { id: 'a3b4c5d6e7f8-my-app-1', runtimeName: 'tmux' },
      agentInfo: { summary: 'Fix login authentication bug', agentSessionId: null },
      createdAt: new Date('2026-03-04T10:30:00.000Z'),
      lastActivityAt: new Date('2026-03-04T10:30:00.000Z'),
    })
  })

  it('S2.87 is named by its user-facing id, and tmuxName leads to the tmux session', () => {
    const made = metadataToSession('my-app-1', parsePairs(SAMPLE).pairs)
    expect(made.id).toBe('my-app-1')
    expect(made.metadata.tmuxName).toBe('a3b4c5d6e7f8-my-app-1')
  })

  it('S2.86 is the same with a space before every =', () => {
    const spaced = SAMPLE.replaceAll(/^(\w+)=/gm, '$1 =')
    expect(parsePairs(spaced)).toEqual(parsePairs(SAMPLE))
  })
})

describe('the keys', () => {
  it('S1.27 worktree', () => expect(session({ worktree: '/w/svc-1' }).workspacePath).toBe('/w/svc-1'))
  it('S1.28 branch', () => expect(session({ branch: 'feat/ISSUE-42' }).branch).toBe('feat/ISSUE-42'))
  it.each(SESSION_STATUSES)('S1.29 status %s', (status) => expect(session({ status }).status).toBe(status))
  it('S1.30 tmuxName', () => expect(session({ tmuxName: 'abc-svc-1' }).metadata.tmuxName).toBe('abc-svc-1'))
  it('S1.31 issue, also a number', () => {
    expect(session({ issue: 'INT-1234' }).issueId).toBe('INT-1234')
    expect(session({ issue: '7' }).issueId).toBe('7')
  })
  it('S1.33 prAutoDetect', () => expect(session({ prAutoDetect: 'off' }).metadata.prAutoDetect).toBe('off'))
  it('S1.34 summary', () => expect(session({ summary: 'Fixing login' }).agentInfo?.summary).toBe('Fixing login'))
  it('S1.35 project', () => expect(session({ project: 'my-app' }).projectId).toBe('my-app'))
  it('S1.36 agent', () => expect(session({ agent: 'codex' }).metadata.agent).toBe('codex'))
  it('S1.37 createdAt', () => {
    expect(session({ createdAt: '2026-01-02T03:04:05.678Z' }).createdAt.getTime()).toBe(
      Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    )
  })
  it('S1.39 restoredAt', () => {
    expect(session({ restoredAt: '2026-01-02T03:04:05.678Z' }).restoredAt?.getTime()).toBe(
      Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    )
    expect(session({})).not.toHaveProperty('restoredAt')
  })
  it('S1.40 role', () => expect(session({ role: 'orchestrator' }).metadata.role).toBe('orchestrator'))
  it('S1.41 the three ports', () => {
    const raw = { dashboardPort: '3000', terminalWsPort: '3001', directTerminalWsPort: '3002' }
    expect(session(raw).metadata).toMatchObject(raw)
  })
  it('S1.42 opencodeSessionId', () => {
    expect(session({ summary: 'x', opencodeSessionId: 'ses_1' }).agentInfo?.agentSessionId).toBe('ses_1')
  })
  it('S1.43 pinnedSummary is shown instead of the agent’s own words', () => {
    const { metadata, agentInfo } = session({ pinnedSummary: 'Mine', summary: 'done clean' })
    expect([metadata.pinnedSummary, metadata.summary, agentInfo?.summary]).toEqual(['Mine', 'done clean', 'Mine'])
  })
  it('S1.44 userPrompt, with all its lines', () => {
    const { pairs } = parsePairs('userPrompt=first%0Asecond\n')
    expect(session(pairs).metadata.userPrompt).toBe('first\nsecond')
  })
  it('S0.7 keys we do not know', () => expect(session({ myOwn: 'x' }).metadata.myOwn).toBe('x'))
})

describe('S1.32 the pull request', () => {
  it.each([
    ['https://github.com/org/repo/pull/99', { number: 99, owner: 'org', repo: 'repo' }],
    ['https://ghe.example.com/org/repo/pull/1/', { number: 1, owner: 'org', repo: 'repo' }],
    ['https://gitlab.com/group/sub/repo/-/merge_requests/5', { number: 5, owner: 'group/sub', repo: 'repo' }],
    ['https://github.com/org/repo/pull/99#discussion_r1', { number: 99, owner: 'org', repo: 'repo' }],
    ['ao://local/3', {}],
  ])('%s', (url, parts) => expect(session({ pr: url }).pr).toEqual({ url, ...parts }))

  it('is null when there is none', () => expect(session({ pr: '' }).pr).toBeNull())
})

describe('S1.38 the runtime handle', () => {
  it('is read from JSON with its data', () => {
    const handle = { id: 'x', runtimeName: 'process', data: { pid: 7 } }
    expect(session({ runtimeHandle: JSON.stringify(handle) }).runtimeHandle).toEqual(handle)
  })
  it('is read from a bare tmux name', () => {
    expect(session({ runtimeHandle: 'abc-svc-1' }).runtimeHandle).toEqual({ id: 'abc-svc-1', runtimeName: 'tmux' })
  })
  it.each(['{"id":', '{}', '{"id":1,"runtimeName":"tmux"}'])('is none when it reads %s', (text) => {
    expect(session({ runtimeHandle: text }).runtimeHandle).toBeNull()
  })
  it('is never made up from the tmux name', () => {
    expect(session({ tmuxName: 'abc-svc-1' }).runtimeHandle).toBeNull()
  })
})

describe('what is missing or odd', () => {
  it.each([undefined, '', 'workin', 'starting'])('status %j reads as working, which offers it to nobody', (status) => {
    expect(session(status === undefined ? {} : { status }).status).toBe('working')
  })

  it('times fall back to the next best source', () => {
    const modifiedAt = new Date('2026-05-05T05:05:05.000Z')
    const createdAt = '2026-01-01T00:00:00.000Z'
    expect(session({ createdAt, lastActivityAt: '2026-02-02T00:00:00.000Z' }, modifiedAt).lastActivityAt).toEqual(
      new Date('2026-02-02T00:00:00.000Z'),
    )
    expect(session({ createdAt, lastActivityAt: 'yesterday' }, modifiedAt).lastActivityAt).toEqual(modifiedAt)
    expect(session({ createdAt }).lastActivityAt).toEqual(new Date(createdAt))
    expect(session({ createdAt: 'nonsense' }, modifiedAt).createdAt).toEqual(modifiedAt)
    expect(session({}).createdAt).toEqual(new Date(0))
  })
})
