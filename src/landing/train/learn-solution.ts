// A pull request that left because of a conflict boards again: how it was solved is remembered. Only then, because only now it
// is approved and green.
import { errorText } from '../../contract/errors.ts'
import type { TrainEventBody, TrainState } from '../../core/landing/train-state.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import type { Solutions } from './solutions.ts'

export async function learnSolution(
  repository: Repository,
  solutions: Solutions,
  {
    state,
    event: { pull, headSha },
    say,
  }: { state: TrainState; event: Extract<TrainEventBody, { type: 'boarded' }>; say(line: string): void },
): Promise<void> {
  const left = state.left.find((one) => one.pull === pull && one.why === 'conflict')
  if (left?.onto === undefined || left.headSha === headSha) return
  const { commit } = left.onto
  try {
    const isOnTop = await tryGitOn(repository, ['merge-base', '--is-ancestor', commit, headSha], { read: true })
    if (!isOnTop.ok) return
    const files = await solutions.learn(commit, left.headSha, headSha)
    if (files.length > 0) say(`the train: how #${pull} solved ${files.join(', ')} is remembered`)
  } catch (error) {
    // The next conflict of this kind is solved by an agent again.
    say(`the train: how #${pull} solved its conflict could not be remembered: ${errorText(error)}`)
  }
}
