// Suggestions of remarks become one commit on the branch, or a message to its agent where a commit would disturb it. Only lines
// that are still what the suggestion was about are replaced; all suggestions are applied, or none.
import type { PullRemark, SuggestionsAnswer } from '../../../contract/dashboard/answers.ts'
import { AoError } from '../../../contract/errors.ts'
import { readSuggestion } from '../../../core/forge/suggestion.ts'
import { appliedMessage, suggestionsMessage } from '../../../core/prompt/suggestions-message.ts'
import { openRepository } from '../../../git/repository.ts'
import { ignoreFailure } from '../../../lib/ignore-failure.ts'
import { locateComments } from '../../../manager/pulls/locate-comments.ts'
import { resolveThread } from '../../../manager/pulls/review-threads.ts'
import { forgeTarget, type PullTarget, publishing } from '../pull-change.ts'
import { toRemark } from '../pull-rows.ts'
import { carryOut } from './carry-out.ts'
import { commitSuggestions, type PlacedSuggestion } from './commit-suggestions.ts'
import { openBranch } from './open-branch.ts'

export interface SuggestionsRequest {
  sha: string
  remarks: string[]
}

export function applySuggestions(target: PullTarget, request: SuggestionsRequest): Promise<SuggestionsAnswer> {
  return publishing(target, async () => {
    const { head, number } = requireSame(target, request.sha)
    const open = () => openRepository(target.reading.project.path, target.context.env)
    const remarks = (await locateComments(open, target.read.pull)).map(toRemark)
    const chosen = [...new Set(request.remarks)].map((id) => requireSuggestion(remarks, id))
    const branch = await openBranch(target)
    return carryOut(target, branch, {
      head,
      verb: 'applied',
      message: suggestionsMessage(number, chosen),
      commit: async () => ({
        commit: await commitSuggestions(branch, { head, number, suggestions: chosen }),
        warnings: await settle(target, chosen),
      }),
      report: (commit) => appliedMessage({ number, commit, files: [...new Set(chosen.map(({ path }) => path))] }),
    })
  })
}

/** The person saw exactly this head. */
export function requireSame({ read }: PullTarget, sha: string): { head: string; number: number } {
  const { headSha, state, pr } = read.pull
  const { number } = pr
  if (state !== 'open') throw new AoError('PR_NOT_MERGEABLE', `Pull request ${number} is ${state}`)
  if (headSha === sha) return { head: headSha, number }
  throw new AoError('PR_HEAD_MOVED', `Pull request ${number} was pushed to since you saw it`, {
    hint: 'Look at what is there now, then do it again',
    details: { number, headSha, expected: sha },
  })
}

function requireSuggestion(remarks: readonly PullRemark[], id: string): PlacedSuggestion {
  const remark = remarks.find((one) => one.id === id)
  const suggestion = remark && readSuggestion(remark.body)
  if (!remark || !suggestion) throw new AoError('USAGE', `Remark ${id} has no suggestion, or several`)
  const { path, line, isOutdated } = remark
  if (path === null || line === null || isOutdated) {
    throw new AoError('SCM_FAILED', `The lines of the suggestion by ${remark.author} have changed since`, {
      hint: 'Look at what is there now; reply in the thread if it is still needed',
      details: { remark: id, path, line },
    })
  }
  const { author, thread } = remark
  return { id, author, thread, path, from: remark.startLine ?? line, to: line, lines: suggestion.lines }
}

/** An applied suggestion is settled. */
async function settle(target: PullTarget, chosen: readonly PlacedSuggestion[]): Promise<string[]> {
  const { context } = target
  const open = [...new Set(chosen.flatMap(({ thread }) => thread ?? []))]
  const left = new Set(open)
  for (const thread of open) {
    await ignoreFailure(`the thread ${thread} was not marked as resolved`, context.log, async () => {
      await resolveThread(forgeTarget(target), { thread, resolved: true })
      left.delete(thread)
    })
  }
  return left.size === 0 ? [] : ['The forge did not let the thread be marked as resolved; do it on its own page']
}
