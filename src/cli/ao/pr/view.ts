// `ao pr view`: one pull request with its checks, reviews and comments.

import type { PullView } from '../../../forge/pulls/observe-pulls.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { openForge } from './open-forge.ts'
import { PULL_JSON, pullJson } from './pr-json.ts'

export const PULL_ARGUMENT = { about: 'Number, #number, URL or branch', required: true } as const

export const prViewCommand = defineCommand({
  name: 'pr view',
  about: 'Show a pull request with its checks, reviews and comments',
  args: { pr: PULL_ARGUMENT },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: `{ pullRequest: ${PULL_JSON} }`,
  async run({ args, options }, io) {
    const { forge } = await openForge(io, options.project)
    const { observePull } = await import('../../../forge/pulls/observe-pulls.ts')
    const { requirePull } = await import('../../../forge/pulls/find-pull.ts')
    const view = await observePull(forge, requirePull(forge, args.pr))
    if (options.json) return void io.json({ pullRequest: pullJson(view) })
    printPull(view, io)
  },
})

function printPull(view: PullView, io: Io): void {
  const { pull, state, headSha, checks, review, hasConflicts, failingOnBase } = view
  const line = (text: string) => io.print(toOneLine(text))
  io.print(io.style.bold(`#${pull.number} ${toOneLine(pull.title)}`))
  line(
    `${state}${pull.draft ? ' (draft)' : ''} · ${pull.head} -> ${pull.base} · ${headSha.slice(0, 10)} · by ${pull.author}`,
  )
  io.print(io.style.dim(pull.url))
  if (pull.mergeCommit) line(`merged as ${pull.mergeCommit.slice(0, 10)}`)
  if (pull.state === 'merged' && pull.mergeBefore === null) line(`not merged by ao: ${pull.base} was moved to have it`)
  if (pull.pastTrain) line(`merged past the train by ${pull.closedBy}`)
  if (state === 'open')
    line(
      `review: ${review.replace('_', ' ')} · conflicts: ${hasConflicts === null ? 'unknown' : hasConflicts ? 'yes' : 'no'}`,
    )
  for (const [name, list] of Object.entries({
    labels: pull.labels,
    assignees: pull.assignees,
    'review requested of': pull.reviewers,
  })) {
    if (list.length > 0) line(`${name}: ${list.join(', ')}`)
  }
  for (const { name, status } of checks) {
    line(`check ${name}: ${status}${failingOnBase.includes(name) ? ` (fails on ${pull.base} too)` : ''}`)
  }
  if (pull.body.trim() !== '') io.print(`\n${toSafeLines(pull.body)}`)
  for (const one of pull.reviews) {
    io.print(
      `\n${io.style.dim(toOneLine(`${one.author}: ${one.state.replace('_', ' ')} at ${one.commit.slice(0, 10)}`))}`,
    )
    if (one.body.trim() !== '') io.print(toSafeLines(one.body))
    printThreads(pull.comments, one.id, io)
  }
  printThreads(pull.comments, null, io)
}

type Comment = PullView['pull']['comments'][number]

/** Those that a review began, or nobody's, each with its answers. */
function printThreads(comments: readonly Comment[], reviewId: string | null, io: Io): void {
  for (const first of comments.filter((one) => one.reviewId === reviewId && one.inReplyTo === undefined)) {
    for (const one of comments.filter(({ id, inReplyTo }) => (inReplyTo ?? id) === first.id)) printComment(one, io)
  }
}

function printComment(comment: Comment, io: Io): void {
  const where =
    comment.path === undefined ? '' : ` on ${comment.path}${comment.line === undefined ? '' : `:${comment.line}`}`
  const resolved = comment.isResolved ? ', resolved' : ''
  const verb = comment.inReplyTo === undefined ? where : ' replied'
  io.print(io.style.dim(toOneLine(`${comment.author}${verb} (${comment.id}${resolved})`)))
  io.print(toSafeLines(comment.body))
}
