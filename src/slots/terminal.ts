// How a person views a running session.
import type { Session } from '../contract/session.ts'
import type { AttachInfo } from './runtime.ts'

export interface TerminalTarget {
  session: Session
  attach: AttachInfo
}

export interface Terminal {
  readonly name: string
  /** Opens the session for the user. Resolves when they have left it, or once it is open elsewhere. */
  openSession(target: TerminalTarget): Promise<void>
  openAll?(targets: TerminalTarget[]): Promise<void>
}
