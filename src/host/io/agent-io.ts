// What pipes and a terminal have in common: everything that the host needs of them.
import type { ProcessIdentity } from '../../lib/process/process-identity.ts'
import type { ExitRecord } from '../files.ts'
import type { Inbox } from '../inbox.ts'
import type { AgentExit, HostState, Took } from '../protocol.ts'
import type { Readers, ServedPipes } from '../serve.ts'
import type { ServedTerminal } from '../serve-terminal.ts'

export interface AgentIo {
  identity: ProcessIdentity | null
  inbox: Inbox
  stderr(): HostState['stderr']
  write(bytes: Buffer, byHand: boolean): Promise<Took>
  exit(): AgentExit | null
  /** Resolves when the agent has ended, with what is to be recorded of it. */
  ended: Promise<Pick<ExitRecord, 'code' | 'signal' | 'screen'>>
  /** Whoever reads is served by these from now on. */
  serve(readers: Readers): void
  pipes?: Omit<ServedPipes, 'leave'>
  terminal?: ServedTerminal
}
