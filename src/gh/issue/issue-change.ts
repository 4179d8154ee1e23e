// `gh issue create|edit|comment|close|reopen`.

import { signedChange } from '../../cli/ao/issue/change.ts'
import type { Io } from '../../cli/print/io.ts'
import { editIssue, type IssueEdit } from '../../forge/issues/edit-issue.ts'
import { requireNames } from '../../forge/pulls/name-list.ts'
import { isLocalTracker } from '../../forge/types.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { requireAbility } from '../../manager/tracker-issues.ts'
import type { Issue } from '../../slots/tracker.ts'
import { GhError } from '../gh-error.ts'
import { NO_EDIT_PLANNING, NO_EDITOR, NO_PLANNING, NO_WEB, oneOf, parseFlags } from '../gh-flags.ts'
import { issueCommentId } from '../ids.ts'
import { nameChange, namesOf, refuseStarting, textOf } from '../open-gh.ts'
import { type GhIssues, keptElsewhere, openIssues, requireIssueId } from './open-issues.ts'

const BODY = { body: { short: 'b', value: true }, 'body-file': { short: 'F', value: true } } as const

export async function issueCreate(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(
    argv,
    {
      ...BODY,
      ...NO_PLANNING,
      ...NO_WEB,
      ...NO_EDITOR,
      title: { short: 't', value: true },
      label: { short: 'l', value: true },
      assignee: { short: 'a', value: true },
      template: { short: 'T', value: true, refused: 'give the text with --body or --body-file' },
      recover: { value: true, refused: 'nothing is kept of a failed run' },
    },
    { most: 0 },
  )
  const title = args.value('title')
  const description = await textOf(args, io)
  if (title === undefined || description === undefined) {
    throw new GhError('must provide `--title` and `--body` when not running interactively')
  }
  const issues = await openIssues(io, args)
  const [assignee, ...more] = requireNames(namesOf(args.values('assignee'), io))
  if (more.length > 0 && !isLocalTracker(issues.tracker)) throw keptElsewhere(issues.tracker, 'more than one assignee')
  const labels = requireNames(namesOf(args.values('label'), io))
  refuseStarting(issues.project, { add: labels }, io)
  issues.claim()
  const issue = await requireAbility(issues.tracker, 'createIssue')(
    {
      title,
      description,
      labels,
      assignee,
    },
    issues.project,
  )
  if (more.length > 0) await change(issues, issue.id, { assignees: { add: more } }, io)
  io.print(issue.url)
  return 0
}

const EDIT_FLAGS = {
  ...BODY,
  ...NO_EDIT_PLANNING,
  title: { short: 't', value: true },
  'add-label': { value: true },
  'remove-label': { value: true },
  'add-assignee': { value: true },
  'remove-assignee': { value: true },
} as const

export async function issueEdit(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, EDIT_FLAGS)
  const id = requireIssueId(args.positionals)
  const edit: IssueEdit = {
    title: args.value('title'),
    body: await textOf(args, io),
    labels: nameChange(args, 'label', io),
    assignees: nameChange(args, 'assignee', io),
  }
  if (Object.values(edit).every((value) => value === undefined))
    throw new GhError('specify at least one field to edit, such as `--title`, `--body` or `--add-label`')
  const issues = await openIssues(io, args)
  io.print((await change(issues, id, edit, io)).url)
  return 0
}

export async function issueComment(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...BODY,
    ...NO_WEB,
    ...NO_EDITOR,
    'edit-last': { refused: 'comments of an issue stay as they were written; add another one' },
  })
  const id = requireIssueId(args.positionals)
  const comment = await textOf(args, io)
  if (comment === undefined || comment.trim() === '')
    throw new GhError('flags required when not running interactively: `--body`, `--body-file`')
  const issues = await openIssues(io, args)
  const { id: number, comments = [] } = await change(issues, id, { comment }, io)
  const address = await issues.tracker.issueUrl(number, issues.project)
  io.print(`${address}#issuecomment-${issueCommentId(Number(number) || 0, comments.length - 1)}`)
  return 0
}

export async function issueClose(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true }, reason: { short: 'r', value: true } })
  const reason = oneOf(args.value('reason') ?? 'completed', ['completed', 'not planned'], '-r, --reason')
  return changeState(args, io, { state: reason === 'completed' ? 'closed' : 'cancelled', done: 'Closed' })
}

export async function issueReopen(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true } })
  return changeState(args, io, { state: 'open', done: 'Reopened' })
}

async function changeState(
  args: { positionals: string[]; repo: string | undefined; value(name: 'comment'): string | undefined },
  io: Io,
  { state, done }: { state: 'open' | 'closed' | 'cancelled'; done: string },
): Promise<number> {
  const issues = await openIssues(io, args)
  const id = requireIssueId(args.positionals)
  const issue = await change(issues, id, { state, comment: args.value('comment') }, io)
  io.note(`✓ ${done} issue ${issues.repo}#${issue.id} (${issue.title})`)
  return 0
}

/** All of it in one step. What another tracker does not support is refused before anything is written. */
async function change({ tracker, project }: GhIssues, id: string, edit: IssueEdit, io: Io): Promise<Issue> {
  if (isLocalTracker(tracker)) {
    const { id: number, labels: has } = await tracker.getIssue(id, project)
    refuseStarting(project, { add: edit.labels?.add ?? [], has }, io)
    const [by, now] = [localAuthor(io.env), io.clock.now().toISOString()]
    await tracker.issues(project).update(Number(number), (issue) => editIssue(issue, edit, { by, now }))
    return tracker.getIssue(number, project)
  }
  const { body, labels, assignees, state, ...rest } = edit
  if (assignees !== undefined) throw keptElsewhere(tracker, 'editing the assignees')
  if (state === 'cancelled') throw keptElsewhere(tracker, 'closing as not planned')
  refuseStarting(project, { add: labels?.add ?? [] }, io)
  await requireAbility(tracker, 'updateIssue')(
    id,
    {
      ...signedChange(rest, tracker, io),
      description: body,
      state,
      labels: labels?.add?.slice(),
      removeLabels: labels?.remove?.slice(),
    },
    project,
  )
  return tracker.getIssue(id, project)
}
