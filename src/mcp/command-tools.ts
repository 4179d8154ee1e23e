// The tools with which a program drives ao. Each one is a command of `ao`: it runs with `--json` in a process of its own,
// so that its checks, locks and access rules are the command's, and so is its answer.
import * as z from 'zod/mini'

export interface CommandTool<Input = never> {
  name: string
  title: string
  description: string
  input: z.ZodMiniType
  /** The command's JSON; fields that are not listed here are included too. */
  output: z.ZodMiniType<Record<string, unknown>>
  /** As in the table of rights: `session ls`. */
  command: string
  hints: ToolHints
  call(input: Input): CommandCall
}

export interface ToolHints {
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  /** It starts agents' work, or reaches a forge. */
  openWorldHint?: boolean
}

export interface CommandCall {
  /** Without the command's own words and without `--json`. Options are written as `--name=value`. */
  options?: string[]
  /** After `--`, so that none of them can be taken for an option. */
  args?: string[]
  stdin?: string | undefined
}

const READ: ToolHints = { readOnlyHint: true, openWorldHint: false }
const ACT: ToolHints = { readOnlyHint: false, destructiveHint: false, openWorldHint: true }
const END: ToolHints = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }

/** What becomes part of a command line, where a NUL byte cannot stand. */
const inCommandLine = (about: string, most: number) =>
  z.string().check(z.minLength(1), z.maxLength(most), z.regex(NO_NUL, 'must not contain a NUL byte'), z.describe(about))
const NO_NUL = /^[^\0]*$/
const word = (about: string) => inCommandLine(about, 500)
/** One argument of a program takes 128 KB, and a character may be three bytes of it. */
const LONGEST_ARGUMENT = 40_000
const longText = (about: string) => z.string().check(z.minLength(1), z.maxLength(1_000_000), z.describe(about))
const flag = (about: string) => z.optional(z.boolean()).check(z.describe(about))

const session = word('Session id, such as app-1')
const project = z.optional(word('Project id; needed only when there are several'))
const pr = word('Number, #number, URL or branch of the pull request')

const item = z.looseObject({})
const listOf = (key: string) => z.looseObject({ [key]: z.array(item) })
const sessionAnswer = z.looseObject({ session: z.looseObject({ id: z.string(), status: z.string() }) })

export const COMMAND_TOOLS: readonly CommandTool[] = [
  tool({
    name: 'list_sessions',
    title: 'List sessions',
    description:
      'All sessions with status, activity, branch, pull request and cost. Those that need a person come first.',
    command: 'status',
    input: z.strictObject({ project }),
    output: listOf('sessions'),
    hints: READ,
    call: (input) => ({ options: option('project', input.project) }),
  }),
  tool({
    name: 'get_session',
    title: 'Show a session',
    description: 'Everything about one session, ended ones too: record, history, question, last message.',
    command: 'session show',
    input: z.strictObject({ session }),
    output: sessionAnswer,
    hints: READ,
    call: (input) => ({ args: [input.session] }),
  }),
  tool({
    name: 'explain_status',
    title: 'Explain a status',
    description: 'Why a session has its status: the facts, and what ao has done about it.',
    command: 'why',
    input: z.strictObject({ session }),
    output: z.looseObject({ sessionId: z.string(), status: z.string() }),
    hints: READ,
    call: (input) => ({ args: [input.session] }),
  }),
  tool({
    name: 'spawn_session',
    title: 'Start a session',
    description: 'Start an agent in a worktree of its own, on an issue of the tracker, with a prompt, or both.',
    command: 'spawn',
    input: z
      .strictObject({
        issue: z.optional(word('Issue id')),
        prompt: z.optional(longText('What to do, in addition to or instead of an issue')),
        project,
        agent: z.optional(word('Agent to use instead of the configured one')),
        branch: z.optional(word('Branch name (default: derived from the issue)')),
      })
      .check(
        z.refine(({ issue, prompt }) => issue !== undefined || prompt !== undefined, 'give issue, prompt or both'),
      ),
    output: sessionAnswer,
    hints: ACT,
    call: ({ issue, prompt, ...rest }) => ({
      options: [
        ...option('project', rest.project),
        ...option('agent', rest.agent),
        ...option('branch', rest.branch),
        ...(prompt === undefined ? [] : ['--prompt-file=-']),
      ],
      args: issue === undefined ? [] : [issue],
      stdin: prompt,
    }),
  }),
  tool({
    name: 'send_message',
    title: 'Send a message',
    description:
      'Send a message to a running agent. The receipt says how far it got: seen, handed over, held (the agent waits for an answer; it is delivered afterwards) or not delivered.',
    command: 'send',
    input: z.strictObject({ session, message: longText('The message, byte for byte') }),
    output: item,
    hints: ACT,
    call: (input) => ({ options: ['--file=-'], args: [input.session], stdin: input.message }),
  }),
  tool({
    name: 'read_transcript',
    title: 'Read a conversation',
    description: 'The conversation of a session, or the last lines of its terminal where it has one instead.',
    command: 'session transcript',
    input: z.strictObject({
      session,
      lines: z.optional(
        z.int().check(z.minimum(1), z.maximum(10_000), z.describe('Lines of a terminal; 200 by default')),
      ),
    }),
    output: z.looseObject({ kind: z.enum(['conversation', 'terminal']) }),
    hints: READ,
    call: (input) => ({ options: option('lines', input.lines?.toString()), args: [input.session] }),
  }),
  tool({
    name: 'read_diff',
    title: 'Read the changes',
    description: 'What a session has changed against the base branch, uncommitted work included, as a unified diff.',
    command: 'session diff',
    input: z.strictObject({ session }),
    output: z.looseObject({ diff: z.string(), truncated: z.boolean() }),
    hints: READ,
    call: (input) => ({ args: [input.session] }),
  }),
  tool({
    name: 'answer_permission',
    title: 'Answer a question',
    description: 'Allow or refuse what an agent asks for. get_session shows the question.',
    command: 'session approve',
    input: z.strictObject({
      session,
      decision: z.enum(['allow_once', 'allow_always', 'deny']),
      request: z.optional(word('Which request, such as perm-1; not needed when only one waits')),
    }),
    output: z.looseObject({ requestId: z.string(), decision: z.string() }),
    hints: ACT,
    call: ({ session, decision, request }) => ({
      options: decision === 'deny' ? ['--deny'] : decision === 'allow_always' ? ['--always'] : ['--allow'],
      args: [session, ...(request === undefined ? [] : [request])],
    }),
  }),
  tool({
    name: 'kill_session',
    title: 'End a session',
    description: 'End a session. Its work stays: uncommitted changes are saved and restore_session brings them back.',
    command: 'session kill',
    input: z.strictObject({ session, purge: flag('Also remove the workspace and archive the record') }),
    output: z.looseObject({ sessionId: z.string(), status: z.string() }),
    hints: { ...END, idempotentHint: true },
    call: (input) => ({ options: input.purge ? ['--purge'] : [], args: [input.session] }),
  }),
  tool({
    name: 'restore_session',
    title: 'Restore a session',
    description: 'Bring an ended session back, archived ones too, with its workspace and its uncommitted work.',
    command: 'session restore',
    input: z.strictObject({ session }),
    output: sessionAnswer,
    hints: ACT,
    call: (input) => ({ args: [input.session] }),
  }),
  tool({
    name: 'list_issues',
    title: 'List issues',
    description: "The open issues of a project's tracker.",
    command: 'issue ls',
    input: z.strictObject({ project }),
    output: listOf('issues'),
    hints: { ...READ, openWorldHint: true },
    call: (input) => ({ options: option('project', input.project) }),
  }),
  tool({
    name: 'create_issue',
    title: 'Create an issue',
    description: 'A new issue in the local tracker.',
    command: 'issue new',
    input: z.strictObject({ title: word('One line'), body: z.optional(longText('Description, Markdown')), project }),
    output: z.looseObject({ issue: item }),
    hints: { ...ACT, openWorldHint: false },
    call: ({ title, body, project }) => ({
      options: [...option('project', project), ...(body === undefined ? [] : ['--body-file=-'])],
      args: [title],
      stdin: body,
    }),
  }),
  tool({
    name: 'list_pull_requests',
    title: 'List pull requests',
    description: 'Pull requests of a project, on whichever forge, newest first.',
    command: 'pr ls',
    input: z.strictObject({ project, all: flag('Also merged and closed ones') }),
    output: item,
    hints: READ,
    call: (input) => ({ options: [...option('project', input.project), ...(input.all ? ['--all'] : [])] }),
  }),
  tool({
    name: 'get_pull_request',
    title: 'Show a pull request',
    description: 'A pull request with its checks, reviews and comments. Its headSha is the commit to review and merge.',
    command: 'pr view',
    input: z.strictObject({ pr, project }),
    output: item,
    hints: READ,
    call: (input) => ({ options: option('project', input.project), args: [input.pr] }),
  }),
  tool({
    name: 'review_pull_request',
    title: 'Review a pull request',
    description: 'Approve a pull request, request changes, or comment. Its agent gets the review.',
    command: 'pr review',
    input: z.strictObject({
      pr,
      verdict: z.enum(['approve', 'request_changes', 'comment']),
      body: z.optional(longText('The text of the review')),
      comments: z.optional(
        z.array(
          z.strictObject({
            // As `--line` is read, the text would begin inside such a name.
            path: word('File').check(z.regex(/^(?!.*:[0-9]+:)/s, 'must not contain a number between colons')),
            line: z.int().check(z.minimum(1)),
            text: inCommandLine('The comment', LONGEST_ARGUMENT),
          }),
        ),
      ),
      head: z.optional(word('The commit that was read; refused when the head has moved')),
      project,
    }),
    output: z.looseObject({ number: z.number() }),
    hints: ACT,
    call: ({ pr, verdict, body, comments = [], head, project }) => ({
      options: [
        `--${verdict.replace('_', '-')}`,
        ...option('head', head),
        ...option('project', project),
        ...comments.map(({ path, line, text }) => `--line=${path}:${line}:${text}`),
        ...(body === undefined ? [] : ['--body-file=-']),
      ],
      args: [pr],
      stdin: body,
    }),
  }),
  tool({
    name: 'merge_pull_request',
    title: 'Merge a pull request',
    description:
      'Merge a pull request, or put it aboard the train. Refused when checks failed or have not run, or changes are requested.',
    command: 'pr merge',
    input: z.strictObject({
      pr,
      method: z.optional(z.enum(['squash', 'merge', 'rebase'])),
      sha: z.optional(word('Only if its head is this commit')),
      project,
    }),
    output: z.looseObject({ number: z.number(), commit: z.nullable(z.string()), boarded: z.boolean() }),
    hints: { ...END, idempotentHint: true },
    call: ({ pr, method, sha, project }) => ({
      options: [...(method === undefined ? [] : [`--${method}`]), ...option('sha', sha), ...option('project', project)],
      args: [pr],
    }),
  }),
]

function tool<S extends z.ZodMiniType>(
  row: Omit<CommandTool, 'input' | 'call'> & { input: S; call(input: z.infer<S>): CommandCall },
): CommandTool {
  return row as CommandTool
}

function option(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`]
}

/** The whole command line after `ao`. */
export function commandLine(row: CommandTool, input: unknown): { argv: string[]; stdin: string | undefined } {
  const { options = [], args = [], stdin } = row.call(input as never)
  return { argv: [...row.command.split(' '), '--json', ...options, '--', ...args], stdin }
}
