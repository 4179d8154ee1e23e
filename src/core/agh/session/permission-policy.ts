// What a session's policy decides about a request of its agent.

import type { Decision, PermissionMode, SessionType } from '../../../contract/agh/session-terms.ts'
import { onlyTouches } from '../../queue/read-input.ts'
import { isGitsOwn } from '../../text/match-path.ts'
import { changedPart, changesOf } from '../transcript/read-content.ts'

export type Verdict = 'allow' | 'reject' | 'ask'

export interface PermissionOption {
  optionId: string
  name: string
  kind: string
}

/** A dream session has nobody to ask. */
export function modeFor(type: SessionType, configured: PermissionMode): PermissionMode {
  return type === 'dream' ? 'approve-all' : configured
}

/** `kind` is the tool's kind in ACP's terms, as the agent says; its input has to agree. `isInside`: of the workspace. */
export function judgeTool(
  mode: PermissionMode,
  { kind, toolCall }: { kind: string; toolCall: unknown },
  isInside: (path: string) => boolean,
): Verdict {
  const verdict = judgeKind(mode, kind)
  if (verdict !== 'allow' || mode === 'approve-all') return verdict
  return onlyTouches(EDITS.includes(kind) ? 'edit' : 'read', toolCall, isInside) ? 'allow' : 'ask'
}

function judgeKind(mode: PermissionMode, kind: string): Verdict {
  if (mode === 'approve-all') return 'allow'
  if (mode === 'deny-all') return 'reject'
  if (mode === 'approve-edits' && EDITS.includes(kind)) return 'allow'
  return kind === 'read' || kind === 'search' ? 'allow' : 'ask'
}

const EDITS: readonly string[] = ['edit', 'delete', 'move']

/** What the agent does through us without asking a question of its own. */
export type ClientAction = { name: 'read_file'; path: string } | WriteFile | RunCommand

export interface WriteFile {
  name: 'write_file'
  path: string
  content: string
  /** The text of the file now; null: there is none. */
  before: string | null
}

export interface RunCommand {
  name: 'run_command'
  command: string
  args: readonly string[]
  /** Variables that the agent sets for it. */
  env?: Readonly<Record<string, string>> | undefined
  cwd?: string | undefined
}

const KIND_OF: Readonly<Record<ClientAction['name'], string>> = {
  read_file: 'read',
  write_file: 'edit',
  run_command: 'execute',
}

/** An action is judged like a tool of its kind: one policy for both. We carry it out, so it is what it says. */
export function judgeAction(mode: PermissionMode, action: ClientAction): Verdict {
  const verdict = judgeKind(mode, KIND_OF[action.name])
  const isRisky = mode !== 'approve-all' && action.name === 'write_file' && isGitsOwn(action.path)
  return verdict === 'allow' && isRisky ? 'ask' : verdict
}

/** The question that a person is asked about an action. */
export function questionAbout(action: ClientAction): ActionQuestion {
  const kind = KIND_OF[action.name]
  const isRun = action.name === 'run_command'
  const title = `${action.name} ${isRun ? commandLine(action) : action.path}`
  return {
    title: title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title,
    kind,
    options: action.name === 'write_file' ? WRITE_OPTIONS : OPTIONS,
    toolCall:
      action.name === 'write_file'
        ? writeCall(action)
        : { rawInput: isRun ? commandInput(action) : { path: action.path } },
  }
}

interface ActionQuestion {
  title: string
  kind: string
  options: PermissionOption[]
  /** In the form of an agent's own. */
  toolCall: { rawInput: Record<string, unknown>; content?: object[] }
}

/** Variables and a directory decide as much as the command does. */
function commandInput({ command, args, env = {}, cwd }: RunCommand): Record<string, unknown> {
  return {
    command: [command, ...args],
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
  }
}

/** With what changes: a path alone says nothing about it. What is longer than can be shown is marked as cut. */
function writeCall({ path, content, before }: WriteFile): ActionQuestion['toolCall'] {
  const { old_text: oldText, new_text: newText } =
    before === null ? { old_text: null, new_text: content } : changedPart(before, content)
  const call = { rawInput: { path }, content: [{ type: 'diff', path, oldText, newText }] }
  return changesOf(call).diffs_omitted ? { rawInput: { path, content: content.slice(0, MAX_CONTENT) } } : call
}

function commandLine({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args].join(' ')
}

const MAX_TITLE = 500
const MAX_CONTENT = 32 * 1024
const OPTIONS: PermissionOption[] = [
  { optionId: 'allow_once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
]
const WRITE_OPTIONS: PermissionOption[] = [
  OPTIONS[0]!,
  { optionId: 'allow_always', name: 'Allow all writes of this session', kind: 'allow_always' },
  OPTIONS[1]!,
]

/** Those that an answer can name: an id that stands for a yes and a no is neither. */
export function answerableOptions(options: readonly PermissionOption[]): PermissionOption[] {
  return options.filter(({ optionId, kind }) =>
    options.every((other) => other.optionId !== optionId || other.kind === kind),
  )
}

/** What a person reads on a button: an agent may name an option as it likes, and its kind decides. */
export function optionLabel({ name, kind }: Pick<PermissionOption, 'name' | 'kind'>): string {
  const allows = kind.startsWith('allow')
  const fits = allows ? ALLOWS.test(name) && !REJECTS.test(name) : REJECTS.test(name) && !ALLOWS.test(name)
  const lasts = kind.endsWith('always')
  if (fits) return lasts && !LASTS.test(name) ? `${name} (from now on)` : name
  return `${name} (${allows ? 'allows' : 'rejects'} it${lasts ? ' from now on' : ''})`
}

const LASTS = /always|never|again|session|all\b|every|project|until|from now on/i
const ALLOWS = /\b(?:allow|yes\b|approve|accept|always|ok\b|proceed|continue|run\b)/i
const REJECTS = /\b(?:reject|no\b|deny|never|cancel|abort|stop|refuse|decline|skip|don['’]t|do not)/i

const ORDER: Readonly<Record<Decision, readonly string[]>> = {
  'allow-once': ['allow_once'],
  'allow-always': ['allow_always', 'allow_once'],
  'reject-once': ['reject_once', 'reject_always'],
  'reject-always': ['reject_always', 'reject_once'],
}

/** null: the agent offers no such option. Approval for once never becomes approval for good. */
export function chooseOption(options: readonly PermissionOption[], decision: Decision): PermissionOption | null {
  for (const kind of ORDER[decision]) {
    const found = options.find((option) => option.kind === kind)
    if (found) return found
  }
  return null
}
