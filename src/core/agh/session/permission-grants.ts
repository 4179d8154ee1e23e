// An approval covers what it was about: an agent that asks, is approved and then writes the file through us is not asked
// about the same thing twice.
import type { FileDiff } from '../../../contract/agh/transcript.ts'
import { commandText, readInput } from '../../queue/read-input.ts'
import { isObject } from '../../text/json-fields.ts'
import { isGitsOwn } from '../../text/match-path.ts'
import { changesOf } from '../transcript/read-content.ts'
import type { ClientAction, RunCommand, WriteFile } from './permission-policy.ts'

export interface Grant {
  /** The question that was answered. */
  requestId: string
  /** session: also covers later turns. */
  scope: 'once' | 'session'
  covers: 'write_file' | 'run_command'
  /** What it still covers, paths resolved; null: everything. */
  subjects: readonly string[] | null
  /** What was shown of each file among the subjects, in order. */
  shown?: Readonly<Record<string, readonly ShownChange[]>>
}

/** `old_text` null: `new_text` is the whole file. */
interface ShownChange {
  old_text: string | null
  new_text: string
  /** Wherever the old text is. */
  everywhere?: true
}

export interface AnsweredQuestion {
  requestId: string
  kind: string
  toolCall: unknown
  /** The kind of the chosen option, in ACP's terms. */
  optionKind: string
  /** agh asked about an action, which follows; then only what is to hold for the session is kept. */
  isOurs: boolean
}

/** What an approval adds to the grants. `resolve`: the real path of a file, null if it is out of reach. */
export function addGrant(
  grants: readonly Grant[],
  answer: AnsweredQuestion,
  resolve: (path: string) => string | null,
): readonly Grant[] {
  const grant = grantOf(answer, resolve)
  return grant === null || grant.subjects?.length === 0 ? grants : [...grants, grant]
}

/** null: it covers nothing that is done through us. */
function grantOf(answer: AnsweredQuestion, resolve: (path: string) => string | null): Grant | null {
  const { requestId, kind, optionKind, isOurs } = answer
  if (!optionKind.startsWith('allow')) return null
  if (isOurs) {
    const isLasting = kind === 'edit' && optionKind === 'allow_always'
    return isLasting ? { requestId, scope: 'session', covers: 'write_file', subjects: null } : null
  }
  const call = isObject(answer.toolCall) ? answer.toolCall : {}
  if (kind === 'execute') return { requestId, scope: 'once', covers: 'run_command', subjects: commandsOf(call) }
  if (kind !== 'edit' && kind !== 'other') return null
  // What the agent's own "always" means is between it and the person: here it covers what was shown, like "once".
  const shown = shownIn(call, resolve)
  return { requestId, scope: 'once', covers: 'write_file', subjects: Object.keys(shown), shown }
}

/** The grant that covers the action, and all grants after it: an approval for once covers each thing once. */
export function useGrant(
  grants: readonly Grant[],
  action: ClientAction,
): { grant: Grant; left: readonly Grant[] } | null {
  const names = action.name === 'run_command' ? linesOf(action) : [action.path]
  const isRisky = action.name === 'write_file' && isGitsOwn(action.path)
  const grant = grants.find(
    ({ covers, subjects, shown }) =>
      covers === action.name &&
      (subjects === null ? !isRisky : subjects.some((one) => names.includes(one))) &&
      (action.name !== 'write_file' || subjects === null || isShown(shown?.[action.path], action)),
  )
  if (!grant) return null
  const { subjects } = grant
  if (subjects === null) return { grant, left: grants }
  const rest = { ...grant, subjects: subjects.filter((one) => !names.includes(one)) }
  return { grant, left: grants.map((one) => (one === grant ? rest : one)).filter((one) => one.subjects?.length !== 0) }
}

const SHELL = /^(?:\/bin\/|\/usr\/bin\/|\/usr\/local\/bin\/|\/opt\/homebrew\/bin\/)?(?:ba|da|z|k)?sh$/
/** Variables that start no program and choose none. */
const PLAIN_VARIABLE = /^(?:CLAUDECODE|CI|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES)=[\w.-]{0,40}$/

/** The command itself as a person would see it, and the command passed to a shell. None: nobody saw its variables. */
function linesOf({ command, args, env = {} }: RunCommand): string[] {
  if (!Object.entries(env).every(([name, value]) => PLAIN_VARIABLE.test(`${name}=${value}`))) return []
  const line = commandText([command, ...args])
  const isShell = SHELL.test(command) && args.length === 2 && /^-[a-z]*c$/.test(args[0]!)
  return isShell ? [line, args[1]!.trim()] : [line]
}

/** Everything but `session` ends with the turn. */
export function grantsAfterTurn(grants: readonly Grant[]): readonly Grant[] {
  return grants.filter(({ scope }) => scope === 'session')
}

/** What a person allowed for the whole session, in words. */
export function standingRules(grants: readonly Grant[]): Array<{ id: string; rule: string }> {
  return grants.flatMap(({ requestId, scope, covers }) =>
    scope === 'session' ? [{ id: requestId, rule: RULES[covers] }] : [],
  )
}

const RULES: Record<Grant['covers'], string> = {
  write_file: 'write files of its workspace through agh without asking',
  run_command: 'run commands through agh without asking',
}

/** The changes that a person could see before the answer, by the real path of their file. None: not all of them fitted. */
function shownIn(
  call: Record<string, unknown>,
  resolve: (path: string) => string | null,
): Record<string, ShownChange[]> {
  const { diffs, diffs_omitted } = changesOf(call)
  if (diffs_omitted || readInput('', call).input_cut) return {}
  const raw = isObject(call.rawInput) ? call.rawInput : {}
  const everywhere = raw.replace_all === true || raw.replaceAll === true ? ({ everywhere: true } as const) : {}
  const shown: Record<string, ShownChange[]> = {}
  for (const { path, old_text, new_text } of diffs ?? inputChange(raw)) {
    const real = resolve(path)
    if (real !== null) shown[real] = [...(shown[real] ?? []), { old_text, new_text, ...everywhere }]
  }
  return shown
}

const PATHS = ['file_path', 'filePath', 'filepath', 'path', 'absolute_path']
const OLD_TEXTS = ['old_string', 'oldString', 'old_str', 'oldText']
const NEW_TEXTS = ['new_string', 'newString', 'new_str', 'newText']

/** Agents name the file and the text in different ways. */
function inputChange(raw: Record<string, unknown>): FileDiff[] {
  const textAt = (keys: readonly string[]) => keys.map((key) => raw[key]).find((one) => typeof one === 'string')
  const path = textAt(PATHS)
  const [old_text = null, part, whole] = [textAt(OLD_TEXTS), textAt(NEW_TEXTS), textAt(['content', 'file_text'])]
  const new_text = old_text === null ? whole : part
  return path === undefined || new_text === undefined ? [] : [{ path, old_text, new_text }]
}

/** The write leaves the file exactly as the shown changes do. */
function isShown(changes: readonly ShownChange[] | undefined, { content, before }: WriteFile): boolean {
  if (!changes) return false
  if (changes.length === 1 && changes[0]!.new_text === content) return true
  let text = before
  for (const { old_text, new_text, everywhere } of changes) {
    if (old_text === null) text = new_text
    else if (text === null || old_text === '' || !text.includes(old_text)) return false
    else text = everywhere ? text.replaceAll(old_text, () => new_text) : text.replace(old_text, () => new_text)
  }
  return text === content
}

/** Exactly what was shown. The title is only what the agent calls it; it counts where it sent nothing else. */
function commandsOf(call: Record<string, unknown>): string[] {
  const title = typeof call.title === 'string' ? call.title : ''
  const { input, input_cut } = readInput(title, call)
  if (input_cut || (input !== undefined && input.kind !== 'command')) return []
  const line = input?.text.trim() ?? title.trim().replace(/^`(.*)`$/s, '$1')
  return line === '' ? [] : [line]
}
