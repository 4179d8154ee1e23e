// What a pull request changes, in git's own words: from where it parted from the base branch to its head.
import type { LocalPull } from '../../store/local-pulls-events.ts'
import { gitOn } from '../git-workspace/repository.ts'
import { lookAtPull } from './look-at-pulls.ts'
import { mergeBase } from './merge-memory.ts'
import type { LocalForge } from './types.ts'

export async function diffPull(forge: LocalForge, pull: LocalPull, format: readonly string[] = []): Promise<string> {
  const { from, to } = await pullRange(forge, pull)
  return gitOn(forge.repository(), ['diff', ...format, from, to, '--'], { read: true })
}

/** One that is over is compared with the base as it was before. */
export async function pullRange(forge: LocalForge, pull: LocalPull): Promise<{ from: string; to: string }> {
  const { headSha, baseSha } = await lookAtPull(forge, pull)
  const base = pull.mergeCommit === null ? (baseSha ?? pull.base) : `${pull.mergeCommit}^`
  const from = (await mergeBase(forge.memory, forge.repository(), { head: headSha, base })) ?? base
  return { from, to: headSha }
}
