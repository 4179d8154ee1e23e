// Where the work of a session stands: its commit, what the forge says of its pull request, and when a person last stepped in.
import type { WorkProgress } from '../../contract/reactions.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import { readHeadCommit } from '../../git/read-head.ts'
import type { PrSnapshot } from '../../slots/scm.ts'
import type { Observation } from './observe-session.ts'

export function readProgress({ observed, snapshot }: Observation): WorkProgress {
  const { workspacePath } = observed.session
  const record = recordOf(observed.session)
  const head = workspacePath === null ? null : readHeadCommit(workspacePath)
  return {
    ...(head === null ? {} : { head }),
    ...prProgress(record, snapshot),
    attendedAt: record.attendedAt?.toISOString() ?? '',
  }
}

/** The forge was not asked or did not answer: what it said before is in the record, if it ever said anything. */
function prProgress(record: SessionRecord, snapshot: PrSnapshot | null): Pick<WorkProgress, 'pr'> {
  if (snapshot) return { pr: [snapshot.pr.url, snapshot.headSha, snapshot.ci, snapshot.review].join(' ') }
  const { pr = '', prHead, ci, review } = record
  if (pr === '') return { pr }
  return prHead === undefined ? {} : { pr: [pr, prHead, ci, review].join(' ') }
}
