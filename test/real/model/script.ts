// What the scripted model answers. The prompt holds the script, `TASK:<VERB> [argument]`; the newest one counts. Pure.
//   WRITE <path>   the tool that writes            READ <path>    the tool that reads
//   SHELL <name>   a shell command of COMMANDS     RECALL         the password of an earlier prompt
//   HELLO          answers                         SAY            talks for three seconds
//   TALK           talks for a minute              ERROR <status> every request fails
//   ASK one|many   asks the user a question        MENU           says what looks like a menu
//   PLAN <path>    shows its plan for approval, where it has a tool for that; some want the path of a file with the plan
// Everything else gets a harmless answer, as agents also ask for titles.
import type { Json, Reply, Said, Tool } from './chat-apis.ts'
import { GH_LINES } from './gh-lines.ts'

/** What it says after the result of a tool. */
export const DONE = 'It is done.'
export const WRITTEN = 'written by the scripted model\n'

const SCRIPT = /TASK:(WRITE|READ|RECALL|TALK|SAY|SHELL|ERROR|HELLO|ASK|MENU|PLAN)(?: ([^\s"<`]+))?/g
const PASSWORD = /the password is ([\w-]+)/

/** By name, because a prompt with a shell command in it would be read differently by every agent. */
const COMMANDS: Readonly<Record<string, string>> = {
  // Not `sleep`, which Claude Code refuses to wait for.
  'sleep-40': 'python3 -c "import time; time.sleep(40)"; echo slept',
  'pull-request':
    'echo change > change.txt && git add change.txt && git commit -qm "A change" && gh pr create --title "A change" --body "Made by the scripted model"',
  quick: 'echo quick',
  ...GH_LINES,
}

/** The script that the newest message of the user with one holds. */
export function scriptIn(turns: readonly Said[]): { at: number; verb: string; argument: string } | null {
  const at = turns.findLastIndex(({ by, text }) => by === 'user' && text.match(SCRIPT) !== null)
  if (at === -1) return null
  const [, verb = '', argument = ''] = [...turns[at]!.text.matchAll(SCRIPT)].at(-1)!
  return { at, verb, argument }
}

export function decide(turns: readonly Said[], tools: readonly Tool[]): Reply {
  const script = scriptIn(turns)
  if (script === null || tools.length === 0) return { text: 'ok' }
  const { at, verb, argument } = script
  if (verb === 'HELLO') return { text: 'ok' }
  if (verb === 'ERROR') return { error: Number(argument) }
  if (verb === 'RECALL') {
    const heard = turns.flatMap(({ text }) => PASSWORD.exec(text)?.[1] ?? []).at(-1)
    return { text: `It was ${heard ?? 'never told'}.` }
  }
  if (verb === 'TALK') return { text: 'and then ', wordCount: 600 }
  if (verb === 'SAY') return { text: 'and then ', wordCount: 30 }
  if (verb === 'MENU') return { text: MENU }
  if (turns.slice(at).some(({ by }) => by === 'tool')) return { text: DONE }
  if (verb === 'READ') return readWith(tools, argument)
  if (verb === 'ASK') return askWith(tools, argument === 'many')
  if (verb === 'PLAN') return planWith(tools, argument)
  return verb === 'SHELL' ? runWith(tools, COMMANDS[argument] ?? 'true') : writeWith(tools, argument)
}

/** A question of the model in its answer, which no program asks. */
const MENU =
  'Do you want to proceed?\n\n❯ 1. Yes\n  2. Yes, and always allow it\n  3. No\n\nEsc to cancel · Enter to confirm'

const QUESTION = 'Which colour do you want?'
const COLOURS = [
  { label: 'Red', description: 'the colour of fire' },
  { label: 'Blue', description: 'the colour of the sea' },
  { label: 'Green', description: 'the colour of grass' },
]

const ASKING = ['AskUserQuestion', 'ask_user_question', 'ask_user', 'question', 'request_user_input']

function askWith(tools: readonly Tool[], isMulti: boolean): Reply {
  const ask = tools.find(({ name }) => ASKING.includes(name))
  if (!ask) return { text: `No tool of ${tools.map(({ name }) => name).join(', ')} asks.` }
  if ('requestedSchema' in ask.properties) {
    const colour = { type: 'string', enum: COLOURS.map(({ label }) => label) }
    const properties = { colour: isMulti ? { type: 'array', items: colour } : colour }
    return { tool: ask.name, input: { message: QUESTION, requestedSchema: { type: 'object', properties } } }
  }
  if (!('questions' in ask.properties)) {
    return { tool: ask.name, input: { question: QUESTION, choices: COLOURS.map(({ label }) => label) } }
  }
  const question: Json = { question: QUESTION, header: 'Colour', options: COLOURS }
  const fields = ask.properties.questions?.items?.properties ?? {}
  if ('type' in fields) question.type = 'choice'
  if ('id' in fields) question.id = 'colour'
  question['multiple' in fields ? 'multiple' : 'multiSelect'] = isMulti
  return { tool: ask.name, input: { questions: [question] } }
}

const PLAN = '1. Rename the function\n2. Run the tests'

function planWith(tools: readonly Tool[], path: string): Reply {
  const exit = tools.find(({ name }) => ['ExitPlanMode', 'exit_plan_mode', 'plan_exit'].includes(name))
  // Claude Code has it, but does not list it at first.
  if (!exit && tools.some(({ name }) => name === 'ToolSearch')) return { tool: 'ExitPlanMode', input: { plan: PLAN } }
  if (!exit) return { text: `<proposed_plan>\n${PLAN}\n</proposed_plan>` }
  const given: Json = { plan: PLAN, summary: PLAN, plan_path: path, plan_filename: path }
  return {
    tool: exit.name,
    input: Object.fromEntries(Object.entries(given).filter(([name]) => name in exit.properties)),
  }
}

function readWith(tools: readonly Tool[], path: string): Reply {
  const read = tools.find(({ name }) => ['Read', 'read', 'read_file', 'view'].includes(name))
  return read ? { tool: read.name, input: { [pathKey(read)]: path } } : { text: 'No tool reads.' }
}

function pathKey({ properties }: Tool): string {
  return ['filePath', 'path', 'absolute_path'].find((name) => name in properties) ?? 'file_path'
}

function writeWith(tools: readonly Tool[], path: string): Reply {
  const write = tools.find(({ name }) => ['Write', 'write', 'write_file', 'create'].includes(name))
  if (!write) return runWith(tools, `printf '${WRITTEN.trim()}\\n' > ${path}`, { escalated: true })
  const content = 'file_text' in write.properties ? 'file_text' : 'content'
  return { tool: write.name, input: { [pathKey(write)]: path, [content]: WRITTEN } }
}

const SHELLS = ['Bash', 'bash', 'run_shell_command', 'exec_command', 'shell_command', 'shell']

function runWith(tools: readonly Tool[], line: string, how: { escalated?: boolean } = {}): Reply {
  const shell = SHELLS.flatMap((name) => tools.find((tool) => tool.name === name) ?? [])[0]
  if (!shell) return { text: `No tool of ${tools.map(({ name }) => name).join(', ')} runs commands.` }
  const input: Json = {}
  if ('cmd' in shell.properties) input.cmd = line
  else input.command = shell.properties.command?.type === 'array' ? ['bash', '-lc', line] : line
  // Codex ends its own wait early and asks again, unless it is given a time limit for a command.
  if ('yield_time_ms' in shell.properties) input.yield_time_ms = 60_000
  if ('timeout' in shell.properties) input.timeout = 60_000
  if ('timeout_ms' in shell.properties) input.timeout_ms = 60_000
  if ('initial_wait' in shell.properties) input.initial_wait = 60
  for (const name of shell.required) input[name] ??= shell.properties[name]?.type === 'boolean' ? false : 'scripted'
  if (how.escalated && 'sandbox_permissions' in shell.properties) {
    input.sandbox_permissions = 'require_escalated'
    input.justification = 'to write the file'
  }
  return { tool: shell.name, input }
}
