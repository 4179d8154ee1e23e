// Where pull requests live. The loop's batched reading is added with the loop.
import type { ProjectConfig } from '../contract/config.ts'
import type { PRInfo, Session } from '../contract/session.ts'

export type PRState = 'open' | 'merged' | 'closed'

export interface Scm {
  readonly name: string
  /** The pull request of the session's branch, or null. */
  detectPR(session: Session, project: ProjectConfig): Promise<PRInfo | null>
  getPRState(pr: PRInfo, project: ProjectConfig): Promise<PRState>
  /** A number, `#n` or URL to a pull request. */
  resolvePR?(reference: string, project: ProjectConfig): Promise<PRInfo>
  /** Switch the workspace to the pull request's branch. false: it was there already. */
  checkoutPR?(pr: PRInfo, workspacePath: string, project: ProjectConfig): Promise<boolean>
}
