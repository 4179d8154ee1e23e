// Which of its own checks a pull request of this forge touches. Asked once for each head and base.
import { type CommitPair, mergeBase, remember } from '../../git/merge-memory.ts'
import { readChangedChecks } from '../../landing/checks/read-changed-checks.ts'
import type { LocalForge } from '../types.ts'

export async function changedChecksOf(forge: LocalForge, pair: CommitPair): Promise<string[]> {
  const repository = forge.repository()
  const found = await remember(forge.changedChecks, pair, async () => {
    const from = await mergeBase(forge.memory, repository, pair)
    const ci = forge.options.ci.map(({ run }) => run)
    return from === null ? null : readChangedChecks(forge.project, { repository, from, to: pair.head }, ci)
  })
  return found ?? []
}
