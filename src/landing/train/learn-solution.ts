// A pull request that left because of a conflict boards again: how it was solved is remembered. Only then, because only now it
// is approved and green.
import { errorText } from '../../contract/errors.ts'
import type { TrainEventBody, TrainState } from '../../core/landing/train-state.ts'
import { readMergeBases } from '../../git/merge-memory.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'
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
    const pair = { ours: commit, theirs: left.headSha }
    const vault = await verified(repository, [commit, left.headSha, headSha])
    const isOnTop = await tryGitOn(vault, ['merge-base', '--is-ancestor', commit, headSha], { read: true })
    if (!isOnTop.ok) return
    await verified(vault, (await readMergeBases(vault, { base: commit, head: left.headSha })) ?? [])
    const files = await solutions.learn(vault, pair, headSha)
    if (files.length > 0) say(`the train: how #${pull} solved ${files.join(', ')} is remembered`)
  } catch (error) {
    // The next conflict of this kind is solved by an agent again.
    say(`the train: how #${pull} solved its conflict could not be remembered: ${errorText(error)}`)
  }
}
