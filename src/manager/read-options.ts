// What an agent plugin needs to read a session's files.
import type { Session } from '../contract/session.ts'
import type { ReadOptions } from '../slots/agent.ts'
import type { ManagerContext } from './context.ts'

export function readOptions(context: ManagerContext, session: Pick<Session, 'id' | 'projectId'>): ReadOptions {
  return {
    readyThresholdMs: context.config.readyThresholdMs,
    now: context.clock.now(),
    stateDir: context.paths.project(session.projectId).stateDir(session.id),
  }
}
