// `ao review`: another agent reads exactly one commit of a pull request, and reports what it found.
import { AoError } from '../../../contract/errors.ts'
import { type CommitReview, SEVERITIES, whereOf } from '../../../contract/pull.ts'
import { recordOf } from '../../../contract/record.ts'
import { EVERYONE, PERSON, REVIEWER } from '../../../core/boundary/rights.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { ACTS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { openAo } from '../open-ao.ts'
import { openProject } from './open-forge.ts'

const REVIEW_JSON =
  '{ reviewer, session, pull, number, head, from, round, agent, findings: [{ file, line, severity, text }], summary, startedAt, endedAt, failed }'

export const reviewStartCommand = defineCommand({
  name: 'review start',
  inside: PERSON,
  about: 'Let another agent review the pull request of a session',
  details:
    'It reads exactly the present head, and reports findings; it changes and approves nothing. ao start does the same by itself with reactions.review.auto: true.',
  args: { session: { about: 'The session whose work it is', required: true, completes: 'session' } },
  options: {
    pr: { value: 'url', about: 'Which of its pull requests' },
    json: JSON_OPTION,
  },
  json: '{ reviewer }',
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    const reviewer = await withProgress(io, 'The start was interrupted', (onProgress) =>
      manager.startReview(args.session, { pull: options.pr, onProgress }),
    )
    if (options.json) return void io.json({ reviewer })
    io.print(
      `${io.style.bold(reviewer)} reviews the pull request of ${args.session}; see what it found with: ao review ls ${args.session}`,
    )
  },
})

export const reviewLsCommand = defineCommand({
  name: 'review ls',
  inside: EVERYONE,
  about: 'List what reviewers found, newest first',
  args: { session: { about: 'Only in the work of this session', completes: 'session' } },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: `{ reviews: [${REVIEW_JSON}] }`,
  async run({ args, options }, io) {
    const { projectDir } = await openProject(io, options.project)
    const { readReviews } = await import('../../../store/reviews.ts')
    const reviews = readReviews(projectDir)
      .filter(({ session }) => args.session === undefined || session === args.session)
      .reverse()
    if (options.json) return void io.json({ reviews })
    if (reviews.length === 0) io.print('No reviews yet. Start a reviewer with: ao review start <session>')
    for (const review of reviews) printReview(review, io)
  },
})

/** For people; a head that has moved since is theirs to see. */
export function printReview(review: CommitReview, io: Io, head: string = review.head): void {
  const { reviewer, number, round, endedAt, failed, findings, summary, startedAt } = review
  const state =
    failed ?? (endedAt === null ? 'at work' : `${findings.length} finding${findings.length === 1 ? '' : 's'}`)
  const stale = head === review.head ? '' : ', of an earlier head'
  const age = formatAge(new Date(startedAt), io.clock.now())
  io.print(
    io.style.bold(
      toOneLine(
        `review by ${reviewer} of #${number} at ${review.head.slice(0, 10)}${stale} (round ${round}, ${age} ago): ${state}`,
      ),
    ),
  )
  if (summary !== null) io.print(toSafeLines(summary))
  for (const one of findings) {
    io.print(toOneLine(`${one.severity}  ${whereOf(one)}`))
    io.print(toSafeLines(one.text))
  }
}

export const reviewAddCommand = defineCommand({
  name: 'review add',
  inside: REVIEWER,
  about: 'As a reviewer: report a finding',
  details: 'Only in the session of a reviewer, about the commit that it was given.',
  args: { text: { about: 'The error, and what would be right', required: true } },
  options: {
    file: { value: 'path', about: 'The file, as it is named in that commit' },
    line: { value: 'number', about: 'The line in that file' },
    severity: { value: 'word', about: 'note, minor (default), major or critical', completes: SEVERITIES },
    json: JSON_OPTION,
  },
  json: '{ finding: { file, line, severity, text }, findings: number }',
  tool: {
    name: 'add_finding',
    title: 'Report a finding',
    description: 'A finding of your review, about the commit that you were given. Report each one once.',
    hints: ACTS,
    input: { text: {}, file: {}, line: { whole: [1, 99_999_999] }, severity: {} },
    output: { finding: 'object', findings: 'number' },
  },
  async run({ args, options }, io) {
    const own = await openOwnReview(io)
    const { addFinding } = await import('../../../manager/pulls/commit-review.ts')
    const { file, line, severity } = options
    const { finding, count } = await addFinding(own, { file, line, severity, text: args.text })
    if (options.json) return void io.json({ finding, findings: count })
    io.print(`noted ${toOneLine(whereOf(finding))}: ${finding.severity} (${count} so far)`)
  },
})

export const reviewDoneCommand = defineCommand({
  name: 'review done',
  inside: REVIEWER,
  about: 'As a reviewer: end the review',
  details: 'The author of the change then gets all findings as one message. Nothing can be added later.',
  options: { summary: { value: 'text', about: 'In a sentence or two, what you looked at' }, json: JSON_OPTION },
  json: `{ review: ${REVIEW_JSON} }`,
  tool: {
    name: 'end_review',
    title: 'End the review',
    description: 'Ends your review. All findings have to be reported before.',
    hints: ACTS,
    input: { summary: {} },
    output: { review: 'object' },
  },
  async run({ options }, io) {
    const own = await openOwnReview(io)
    const { endReview } = await import('../../../manager/pulls/commit-review.ts')
    const review = await endReview(own, options.summary)
    if (options.json) return void io.json({ review })
    io.print(`The review is over, with ${review.findings.length} finding${review.findings.length === 1 ? '' : 's'}`)
  },
})

/** Of the session that this command runs in. An orchestrator starts others and can call itself one of them, so the launch has to agree. */
async function openOwnReview(io: Io) {
  const { context } = await openAo(io)
  const { requireActive } = await import('../../../manager/context.ts')
  const { project, stored } = requireActive(context, io.env.AO_SESSION ?? '')
  const { storedSession } = await import('../../../contract/stored-session.ts')
  const session = storedSession(stored, project.id)
  const { role, spawnId } = recordOf(session)
  if (role !== 'reviewer' || spawnId === undefined || io.env.AO_SPAWN_ID !== spawnId)
    throw new AoError('ROLE_REFUSED', 'Only the agent of a reviewer reports findings')
  return { context, project, session }
}
