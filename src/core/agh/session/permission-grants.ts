// An approval covers what it was about: an agent that asks, is approved and then writes the file through us is not asked
// about the same thing twice.
import { isGitsOwn } from '../../git/git-owned-path.ts'
import { commandText, readInput } from '../../queue/read-input.ts'
import { isObject } from '../transcript/read-content.ts'
import type { ClientAction, RunCommand } from './permission-policy.ts'

export interface Grant {
  /** The question that was answered. */
  requestId: string
  /** session: also covers later turns. */
  scope: 'once' | 'session'
  covers: 'write_file' | 'run_command'
  /** What it still covers, paths resolved; null: everything. */
  subjects: readonly string[] | null
}

export interface AnsweredQuestion {
  requestId: string
  kind: string
  toolCall: unknown
  /** The kind of the chosen option, in ACP's terms. */
  optionKind: string
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
  const { requestId, kind, optionKind } = answer
  if (!optionKind.startsWith('allow')) return null
  const call = isObject(answer.toolCall) ? answer.toolCall : {}
  if (kind === 'execute') return { requestId, scope: 'once', covers: 'run_command', subjects: commandsOf(call) }
  if (kind === 'edit' && optionKind === 'allow_always') {
    return { requestId, scope: 'session', covers: 'write_file', subjects: null }
  }
  if (!WRITING.includes(kind)) return null
  const subjects = pathsOf(call).flatMap((path) => resolve(path) ?? [])
  return { requestId, scope: 'once', covers: 'write_file', subjects: [...new Set(subjects)] }
}

const WRITING: readonly string[] = ['edit', 'delete', 'move', 'other']

/** The grant that covers the action, and all grants after it: an approval for once covers each thing once. */
export function useGrant(
  grants: readonly Grant[],
  action: ClientAction,
): { grant: Grant; left: readonly Grant[] } | null {
  const names = action.name === 'run_command' ? linesOf(action) : [action.path]
  const isRisky = action.name === 'write_file' && isGitsOwn(action.path)
  const grant = grants.find(
    ({ covers, subjects }) =>
      covers === action.name && (subjects === null ? !isRisky : subjects.some((one) => names.includes(one))),
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

/** Agents name the file in different places, sometimes in several. */
function pathsOf(call: Record<string, unknown>): string[] {
  const input = isObject(call.rawInput) ? call.rawInput : {}
  const named = [input.file_path, input.filePath, input.filepath, input.path, input.absolute_path]
  const listed = [call.locations, call.content].flatMap((list) =>
    Array.isArray(list) ? list.filter(isObject).map(({ path }) => path) : [],
  )
  return [...named, ...listed].filter((path) => typeof path === 'string')
}

/** Exactly what was shown. The title is only what the agent calls it; it counts where it sent nothing else. */
function commandsOf(call: Record<string, unknown>): string[] {
  const title = typeof call.title === 'string' ? call.title : ''
  const { input, input_cut } = readInput(title, call)
  if (input_cut || (input !== undefined && input.kind !== 'command')) return []
  const line = input?.text.trim() ?? title.trim().replace(/^`(.*)`$/s, '$1')
  return line === '' ? [] : [line]
}
