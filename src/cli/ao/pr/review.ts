// `ao pr review`: approve, request changes, or comment, also on lines.
import { AoError } from '../../../contract/errors.ts'
import { ACTS, LONGEST_ARGUMENT, type ToolList } from '../../../mcp/command-tool.ts'
import type { LineComment } from '../../../slots/scm.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { BODY_OPTIONS, bodyOf } from '../issue/issue-text.ts'
import { type OpenPull, openPull, PULL_ARGUMENT } from './find-pull.ts'
import { reviewJson } from './pr-json.ts'

const LINE_COMMENTS: ToolList = {
  option: 'line',
  fields: {
    // As `--line` is read, the text would begin inside such a name.
    path: { about: 'File', pattern: [/^(?!.*:[0-9]+:)/s, 'must not contain a number between colons'] },
    line: { whole: [1, Number.MAX_SAFE_INTEGER] },
    text: { about: 'The comment', longest: LONGEST_ARGUMENT },
  },
  write: ({ path, line, text }) => `${path}:${line}:${text}`,
}

export const prReviewCommand = defineCommand({
  name: 'pr review',
  about: 'Approve a pull request, ask for changes, or comment',
  details:
    'The review is of one commit: --head, else the head that ao pr view or ao pr diff showed you last, else the current one. When something was pushed since, it is refused.',
  args: { pr: PULL_ARGUMENT },
  options: {
    approve: { short: 'a', about: 'Approve it' },
    'request-changes': { short: 'r', about: 'Ask for changes' },
    comment: { short: 'c', about: 'Only comment' },
    ...BODY_OPTIONS,
    line: {
      value: 'file:line:text',
      about: 'A comment on a line, or file:3-7:text; may be repeated',
      repeatable: true,
    },
    head: { value: 'commit', about: 'The commit that was read (default: the head that was shown last)' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  examples: [
    {
      line: 'ao pr review 1 -r -b "Almost" --line "src/a.ts:3:Say why"',
      about: 'Ask for changes, with a word on a line',
    },
  ],
  json: '{ number, review: { id, author, state, body, commit, submittedAt } }',
  tool: {
    name: 'review_pull_request',
    title: 'Review a pull request',
    description: 'Approve a pull request, request changes, or comment. Its agent gets the review.',
    hints: ACTS,
    input: {
      pr: {},
      verdict: {
        choices: { approve: 'approve', request_changes: 'request-changes', comment: 'comment' },
        required: true,
      },
      body: { stdin: 'body-file', about: 'The text of the review' },
      comments: { each: LINE_COMMENTS },
      head: { about: 'The commit that was read; refused when the head has moved' },
      project: {},
    },
    output: { number: 'number' },
  },
  async run({ args, options }, io) {
    const state = chooseState(options)
    const comments = options.line.map(parseLine)
    const body = (await bodyOf(options, io)) ?? ''
    const opened = await openPull(io, args.pr, options.project)
    const { number } = opened.pull.pr
    const head = await headThatWasRead(opened, options.head)
    const { reviewPull } = await import('../../../manager/pulls/change-pull.ts')
    const review = await reviewPull(opened, { state, body, comments, head })
    if (options.json) return void io.json({ number, review: reviewJson(review) })
    io.print(`${state.replace('_', ' ')}: ${io.style.bold(`#${number}`)} at ${head.slice(0, 10)}`)
  },
})

/** Refused when something was pushed after it. */
async function headThatWasRead({ pull, projectDir }: OpenPull, named: string | undefined): Promise<string> {
  const { headSha, pr } = pull
  if (named !== undefined && !/^[0-9a-f]{7,64}$/.test(named))
    throw new AoError(
      'USAGE',
      `${JSON.stringify(named)} is not a commit: 7 or more of its hexadecimal digits are needed`,
    )
  const { shownHead } = await import('../../../store/shown-heads.ts')
  const read = named ?? shownHead(projectDir, pr.url) ?? headSha
  if (headSha.startsWith(read)) return headSha
  const [now, before] = [headSha.slice(0, 10), read.slice(0, 10)]
  throw new AoError(
    'PR_HEAD_MOVED',
    `Pull request ${pr.number} was pushed to: its head is ${now}, and you read ${before}`,
    {
      hint: `See what was pushed, then review again: ao pr diff ${pr.number}`,
      details: { number: pr.number, headSha, expected: read },
    },
  )
}

function chooseState(options: { approve: boolean; 'request-changes': boolean; comment: boolean }) {
  const chosen = [
    ...(options.approve ? (['approved'] as const) : []),
    ...(options['request-changes'] ? (['changes_requested'] as const) : []),
    ...(options.comment ? (['commented'] as const) : []),
  ]
  if (chosen.length === 1) return chosen[0]!
  throw new AoError('USAGE', 'Say one of --approve, --request-changes and --comment')
}

function parseLine(text: string): LineComment {
  const [, path, first, last, body] = /^(.+?):([1-9][0-9]*)(?:-([1-9][0-9]*))?:\s*([\s\S]*\S)\s*$/.exec(text) ?? []
  if (path !== undefined && body !== undefined) {
    if (last === undefined || last === first) return { path, line: Number(first), body }
    return { path, startLine: Number(first), line: Number(last), body }
  }
  throw new AoError('USAGE', `${JSON.stringify(text)} is not file:line:text`)
}
