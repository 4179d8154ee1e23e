// The commits of a pull request, oldest first. They never change: asked for once for each head.
import type { CommitRow, PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { useAnswer } from '../../api/answered.tsx'
import { pullParams } from '../pulls/pull-labels.ts'

const NONE: readonly CommitRow[] = []

export function usePullCommits(pull: PullRow): readonly CommitRow[] {
  const key = ['pull-commits', pull.projectId, pull.number, pull.headSha]
  const { data } = useAnswer(key, 'GET /api/projects/:project/pulls/:number/commits', { params: pullParams(pull) })
  return data?.commits ?? NONE
}
