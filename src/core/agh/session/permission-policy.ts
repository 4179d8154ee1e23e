// What a session's policy says to a request of its agent.
import type { Decision, PermissionMode, SessionType } from '../../../contract/agh/words.ts'

export type Verdict = 'allow' | 'reject' | 'ask'

export interface PermissionOption {
  optionId: string
  name: string
  kind: string
}

/** Dream work has nobody to ask. */
export function modeFor(type: SessionType, configured: PermissionMode): PermissionMode {
  return type === 'dream' ? 'approve-all' : configured
}

/** `kind` is the tool's kind, as ACP names it. */
export function judgeTool(mode: PermissionMode, kind: string): Verdict {
  if (mode === 'approve-all') return 'allow'
  if (mode === 'deny-all') return 'reject'
  if (mode === 'approve-edits' && EDITS.includes(kind)) return 'allow'
  return kind === 'read' || kind === 'search' ? 'allow' : 'ask'
}

const EDITS: readonly string[] = ['edit', 'delete', 'move']

export type ClientAction = 'read_file' | 'write_file' | 'run_command'

/** Methods that the agent calls directly carry no question: what is not allowed is refused. */
export function allowsAction(mode: PermissionMode, action: ClientAction): boolean {
  if (mode === 'approve-all') return true
  if (mode === 'approve-edits') return action !== 'run_command'
  return mode === 'approve-reads' && action === 'read_file'
}

const ORDER: Readonly<Record<Decision, readonly string[]>> = {
  'allow-once': ['allow_once'],
  'allow-always': ['allow_always', 'allow_once'],
  'reject-once': ['reject_once', 'reject_always'],
  'reject-always': ['reject_always', 'reject_once'],
}

/** null: the agent offers nothing of the kind. A yes to once never becomes a yes for ever. */
export function chooseOption(options: readonly PermissionOption[], decision: Decision): PermissionOption | null {
  for (const kind of ORDER[decision]) {
    const found = options.find((option) => option.kind === kind)
    if (found) return found
  }
  return null
}
