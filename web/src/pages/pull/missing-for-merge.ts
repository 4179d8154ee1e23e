// What a merge would skip: nothing of it prevents merging, and a person should know it before. Pure.
import type { PullDetail } from '../../../../src/contract/dashboard/answers.ts'

export function missingForMerge({ pull, reviews, remarks }: PullDetail): string[] {
  const open = remarks.filter(({ isResolved, isBot, isReply }) => !isResolved && !isBot && !isReply).length
  return [
    ...(pull.review === 'approved' ? [] : [reviewMissing(pull, reviews)]),
    ...(pull.ci === 'none' ? ['No checks ran on it'] : []),
    ...(pull.ci === 'unknown' ? ['Checks unknown'] : []),
    ...(open === 0 ? [] : [open === 1 ? 'One remark is still open' : `${open} remarks are still open`]),
  ]
}

function reviewMissing(pull: PullDetail['pull'], reviews: PullDetail['reviews']): string {
  if (pull.review === 'changes_requested') return 'Changes are requested'
  if (pull.review === 'unknown') return 'Its review is unknown'
  if (reviews.length === 0) return 'Nobody has reviewed it'
  const isOld = reviews.every(({ commit }) => commit !== null && commit !== pull.headSha)
  return isOld ? 'Nobody has reviewed it since the last push' : 'Nobody has approved it'
}
