// What a reviewer reports about the commit that it was given. It is believed in nothing that git can say: whether there is such a
// file and such a line is read from verified objects, never from the reviewer's own directory.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { CommitReview, Finding } from '../../contract/pull.ts'
import type { Session } from '../../contract/session.ts'
import { type GivenFinding, LONGEST_TEXT, MOST_FINDINGS, readFinding } from '../../core/forge/judge-finding.ts'
import { visibleText } from '../../core/text/visible-text.ts'
import { openRepository, tryGitOn } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'
import { changeReview } from '../../store/reviews.ts'
import type { ManagerContext } from '../context.ts'
import { ensureReview } from '../launch/review.ts'

export interface OwnReview {
  context: ManagerContext
  project: ProjectConfig
  session: Session
}

export async function addFinding(own: OwnReview, given: GivenFinding): Promise<{ finding: Finding; count: number }> {
  const finding = readFinding(given)
  if (typeof finding === 'string') throw new AoError('USAGE', `This is not a finding: ${finding}`)
  const review = requireOpen(await ensureReview(own.context, own.session))
  await requireLine(own, review, finding)
  const { findings } = await change(own, (one) => {
    if (one.findings.length >= MOST_FINDINGS) {
      throw new AoError('STATE_REFUSED', `A review may have ${MOST_FINDINGS} findings at most`, {
        hint: 'Leave out the least important ones, and end the review with: ao review done',
      })
    }
    const isKnown = one.findings.some((other) => JSON.stringify(other) === JSON.stringify(finding))
    return isKnown ? one : { ...one, findings: [...one.findings, finding] }
  })
  return { finding, count: findings.length }
}

export async function endReview(own: OwnReview, summary: string | undefined): Promise<CommitReview> {
  await ensureReview(own.context, own.session)
  const endedAt = own.context.clock.now().toISOString()
  const shown = summary === undefined ? null : visibleText(summary).trim().slice(0, LONGEST_TEXT) || null
  return change(own, (one) => ({ ...one, summary: shown, endedAt }))
}

function change({ context, project, session }: OwnReview, how: (review: CommitReview) => CommitReview) {
  return changeReview(context.paths.project(project.id).dir, session.id, (review) => {
    if (review === null) throw new AoError('STATE_REFUSED', `There is no review by ${session.id}`)
    return how(requireOpen(review))
  })
}

function requireOpen(review: CommitReview): CommitReview {
  if (review.endedAt === null) return review
  throw new AoError('STATE_REFUSED', 'This review is over: nothing can be added to it')
}

/** Also a file that the change deletes can be meant; a line only of what is there. */
async function requireLine({ context, project }: OwnReview, { head, from }: CommitReview, { file, line }: Finding) {
  if (file === null) return
  const repository = await verified(openRepository(project.path, context.env), [head, from])
  const read = (commit: string) => tryGitOn(repository, ['cat-file', 'blob', `${commit}:${file}`], { read: true })
  const now = await read(head)
  if (!now.ok && (line !== null || !(await read(from)).ok)) {
    throw new AoError('USAGE', `${JSON.stringify(file)} is not a file in ${head.slice(0, 10)}`, {
      hint: 'Name it as git diff does, without a/ or b/',
      details: { file },
    })
  }
  if (line === null) return
  const lines = now.stdout.replace(/\n$/, '').split('\n').length
  if (line > lines) throw new AoError('USAGE', `${file} has ${lines} lines in ${head.slice(0, 10)}, not ${line}`)
}
