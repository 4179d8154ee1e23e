// `ao pr view`: one pull request with its checks, reviews and comments.
import type { Pull, ReviewComment } from '../../../contract/pull.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { type Risk, riskLines } from '../../../core/review/judge-risk.ts'
import { describeMark } from '../../../core/witness/describe-mark.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { readReviews } from '../../../store/reviews.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { printReview } from './commit-review.ts'
import { noteShown, type OpenPull, openPull, PULL_ARGUMENT, recordsOf } from './find-pull.ts'
import { PULL_JSON, pullJson } from './pr-json.ts'

export const prViewCommand = defineCommand({
  name: 'pr view',
  inside: EVERYONE,
  about: 'Show a pull request with its checks, reviews and comments',
  args: { pr: PULL_ARGUMENT },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: `{ pullRequest: ${PULL_JSON} }`,
  tool: {
    name: 'get_pull_request',
    title: 'Show a pull request',
    description: 'A pull request with its checks, reviews and comments. Its headSha is the commit to review and merge.',
    hints: READS,
    input: { pr: {}, project: {} },
    output: {},
  },
  async run({ args, options }, io) {
    const opened = await openPull(io, args.pr, options.project)
    const { pull } = opened
    const risk = pull.state === 'open' ? await riskOf(opened, io) : undefined
    if (options.json) io.json({ pullRequest: pullJson(pull, risk) })
    else {
      printPull(pull, io, risk)
      const reviews = readReviews(opened.projectDir).filter((one) => one.pull === pull.pr.url)
      for (const one of reviews) {
        io.print('')
        printReview(one, io, pull.headSha)
      }
    }
    await noteShown(io, opened, pull.headSha)
  },
})

async function riskOf(opened: OpenPull, io: Io): Promise<Risk> {
  const { readRisk } = await import('../../../manager/pulls/read-risk.ts')
  const { project, scm, pull } = opened
  const records = await recordsOf(io, opened)
  return readRisk({ project, scm, pull, record: records.get(pull.pr.url), env: io.env })
}

function printPull(pull: Pull, io: Io, risk: Risk | undefined): void {
  const { pr, state, headSha, checks, review, hasConflicts, failingOnBase } = pull
  const { body = '', labels = [], assignees = [], reviewers = [] } = pull
  const base = pr.baseBranch ?? 'its base branch'
  const line = (text: string) => io.print(toOneLine(text))
  io.print(io.style.bold(`#${pr.number} ${toOneLine(pr.title ?? '')}`))
  line(
    `${state}${pr.isDraft ? ' (draft)' : ''} · ${pr.branch} -> ${base} · ${headSha.slice(0, 10)} · by ${pull.author ?? 'ghost'}`,
  )
  io.print(io.style.dim(toOneLine(pr.url)))
  if (pull.mergeCommit) line(`merged as ${pull.mergeCommit.slice(0, 10)}`)
  if (pull.pastTrain) line(`merged past the train by ${pull.closedBy}`)
  if (pull.mergedOutside) line(`not merged by ao: ${base} was moved to have it`)
  if (state === 'open')
    line(
      `review: ${review.replace('_', ' ')} · conflicts: ${hasConflicts === null ? 'unknown' : hasConflicts ? 'yes' : 'no'}`,
    )
  if (risk) {
    line(`risk: ${risk.score} of 100, about ${risk.minutes} minutes to read`)
    for (const one of riskLines(risk)) line(`  ${one}`)
  }
  for (const [name, list] of Object.entries({ labels, assignees, 'review requested of': reviewers })) {
    if (list.length > 0) line(`${name}: ${list.join(', ')}`)
  }
  for (const { name, status, note, finding } of checks) {
    const more = [failingOnBase.includes(name) ? `fails on ${base} too` : '', note ?? ''].filter(Boolean).join('; ')
    line(`check ${name}: ${status}${more && ` (${more})`}`)
    if (finding) line(`  ${finding.text}`)
    for (const mark of finding?.marks ?? []) line(`  ${describeMark(mark)}`)
  }
  if (body.trim() !== '') io.print(`\n${toSafeLines(body)}`)
  for (const one of pull.reviews) {
    const at = one.commit === null ? '' : ` at ${one.commit.slice(0, 10)}`
    io.print(`\n${io.style.dim(toOneLine(`${one.author.login}: ${one.state.replace('_', ' ')}${at}`))}`)
    if (one.body.trim() !== '') io.print(toSafeLines(one.body))
    printThreads(pull.comments, one.id, io)
  }
  const reviewIds = new Set(pull.reviews.map(({ id }) => id))
  printThreads(
    pull.comments.map((one) => (reviewIds.has(one.reviewId ?? '') ? one : { ...one, reviewId: null })),
    null,
    io,
  )
}

/** Those that a review began, or nobody's, each with its answers. */
function printThreads(comments: readonly ReviewComment[], reviewId: string | null, io: Io): void {
  const threadOf = ({ id, thread }: ReviewComment) => thread ?? id
  for (const first of comments.filter((one) => one.reviewId === reviewId && !one.isReply)) {
    for (const one of comments.filter((other) => threadOf(other) === threadOf(first))) printComment(one, io)
  }
}

function printComment(comment: ReviewComment, io: Io): void {
  const where =
    comment.path === undefined ? '' : ` on ${comment.path}${comment.line === undefined ? '' : `:${comment.line}`}`
  const resolved = comment.isResolved ? ', resolved' : ''
  const verb = comment.isReply ? ' replied' : where
  io.print(io.style.dim(toOneLine(`${comment.author.login}${verb} (${comment.id}${resolved})`)))
  io.print(toSafeLines(comment.body))
}
