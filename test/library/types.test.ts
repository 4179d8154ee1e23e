// Seed 003: what the main entry and ./plugin export, as types and values.
import { describe, expect, expectTypeOf, it } from 'vitest'
import type {
  ActivityState,
  AgentSessionInfo,
  CleanupResult,
  OrchestratorSpawnConfig,
  PRInfo,
  RuntimeHandle,
  Session,
  SessionId,
  SessionManager,
  SessionSpawnConfig,
  SessionStatus,
} from '../../src/index.ts'
import * as ao from '../../src/index.ts'
import type { Agent, Notifier, Runtime, SCM, Workspace } from '../../src/plugin.ts'

describe('the main entry', () => {
  it('S2.1 exports createSessionManager, loadConfig and createPluginRegistry', () => {
    expect(ao).toMatchObject({
      createSessionManager: expect.any(Function),
      loadConfig: expect.any(Function),
      createPluginRegistry: expect.any(Function),
    })
  })

  it('S2.2 exports errors that work with instanceof', () => {
    const refused = new ao.SessionNotRestorableError('app-1', 'it runs')
    expect(refused).toBeInstanceOf(Error)
    expect(refused).toMatchObject({ reason: 'it runs', sessionId: 'app-1' })
    expect(new ao.WorkspaceMissingError('/gone', 'no branch')).toMatchObject({ path: '/gone' })
  })

  it('S2.3 S2.11 S2.36 S2.43 S2.52 S2.53 S2.62 S2.68 S2.79 types the manager as the documents do', () => {
    expectTypeOf<SessionManager['spawn']>().toBeCallableWith({ projectId: 'my-app', issueId: '#42', prompt: 'Fix' })
    expectTypeOf<ReturnType<SessionManager['spawn']>>().toEqualTypeOf<Promise<Session>>()
    expectTypeOf<ReturnType<SessionManager['spawnOrchestrator']>>().toEqualTypeOf<Promise<Session>>()
    expectTypeOf<ReturnType<SessionManager['list']>>().toEqualTypeOf<Promise<Session[]>>()
    expectTypeOf<ReturnType<SessionManager['get']>>().toEqualTypeOf<Promise<Session | null>>()
    expectTypeOf<ReturnType<SessionManager['restore']>>().toEqualTypeOf<Promise<Session>>()
    expectTypeOf<ReturnType<SessionManager['kill']>>().toEqualTypeOf<Promise<void>>()
    expectTypeOf<ReturnType<SessionManager['send']>>().toEqualTypeOf<Promise<void>>()
    expectTypeOf<SessionManager['cleanup']>().toBeCallableWith('my-app', { dryRun: true })
    expectTypeOf<ReturnType<SessionManager['cleanup']>>().toEqualTypeOf<Promise<CleanupResult>>()
  })

  it('S3.1–S3.13 has a Session of exactly fourteen properties, only restoredAt optional', () => {
    expectTypeOf<Session>().toEqualTypeOf<{
      id: SessionId
      projectId: string
      status: SessionStatus
      activity: ActivityState | null
      branch: string | null
      issueId: string | null
      pr: PRInfo | null
      workspacePath: string | null
      runtimeHandle: RuntimeHandle | null
      agentInfo: AgentSessionInfo | null
      createdAt: Date
      lastActivityAt: Date
      restoredAt?: Date
      metadata: Record<string, string>
    }>()
    expectTypeOf<SessionId>().toEqualTypeOf<string>()
  })

  it('S3.5 S3.6 S3.7 S3.8 S3.9 S3.12 S3.13 has null for what does not exist yet', () => {
    const empty = ao.metadataToSession('my-app-3', { project: 'my-app', status: 'spawning', team: 'blue' })
    expect(empty).toMatchObject({
      id: 'my-app-3',
      branch: null,
      issueId: null,
      pr: null,
      workspacePath: null,
      runtimeHandle: null,
      agentInfo: null,
      activity: null,
      metadata: { team: 'blue' },
    })
    expect(empty.restoredAt).toBeUndefined()
  })

  it('S3.7 S3.9 S3.10 S3.17 names the fields of its parts', () => {
    expectTypeOf<PRInfo['url']>().toEqualTypeOf<string>()
    expectTypeOf<Pick<RuntimeHandle, 'id' | 'runtimeName'>>().toEqualTypeOf<{ id: string; runtimeName: string }>()
    expectTypeOf<AgentSessionInfo['summary']>().toEqualTypeOf<string | null>()
    expectTypeOf<AgentSessionInfo['agentSessionId']>().toEqualTypeOf<string | null>()
    expectTypeOf<CleanupResult>().toEqualTypeOf<{
      killed: string[]
      skipped: string[]
      errors: Array<{ sessionId: string; error: string }>
    }>()
    expectTypeOf<OrchestratorSpawnConfig>().toExtend<{ projectId: string; systemPrompt?: string }>()
  })

  it('S3.14 S3.15 has exactly these unions', () => {
    expectTypeOf<SessionStatus>().toEqualTypeOf<
      | 'spawning'
      | 'working'
      | 'pr_open'
      | 'ci_failed'
      | 'review_pending'
      | 'changes_requested'
      | 'approved'
      | 'mergeable'
      | 'merged'
      | 'cleanup'
      | 'needs_input'
      | 'stuck'
      | 'errored'
      | 'killed'
      | 'done'
      | 'terminated'
    >()
    expectTypeOf<ActivityState>().toEqualTypeOf<'active' | 'ready' | 'idle' | 'waiting_input' | 'blocked' | 'exited'>()
  })

  it('S3.16 S3.25 has a SessionSpawnConfig with one required string', () => {
    expectTypeOf<SessionSpawnConfig>().toEqualTypeOf<{
      projectId: string
      issueId?: string
      branch?: string
      prompt?: string
      agent?: string
    }>()
  })
})

describe('./plugin', () => {
  it('S3.18 exports the interfaces of the slots, S3.4 activity comes from the agent plugin', () => {
    expectTypeOf<Runtime['isAlive']>().returns.toEqualTypeOf<Promise<boolean>>()
    expectTypeOf<Agent['getActivityState']>().returns.resolves.toExtend<{ state: ActivityState } | null>()
    expectTypeOf<Workspace['destroy']>().toBeCallableWith('/path')
    expectTypeOf<SCM['getPRState']>().returns.toEqualTypeOf<Promise<'open' | 'merged' | 'closed'>>()
  })

  it('S3.27 has a notifier that accepts the documented notification', () => {
    expectTypeOf<Notifier['notify']>().toBeCallableWith({
      type: 'session.needs_input',
      sessionId: 'app-1',
      message: 'Session waiting for your input',
    })
  })
})
