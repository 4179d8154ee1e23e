// What a pull request changes, in git's own format: from its merge base to its head.

import { gitOn } from '../../git/repository.ts'
import { mergeBase } from '../merge/merge-memory.ts'
import type { LocalForge } from '../types.ts'
import { observePull } from './observe-pulls.ts'
import type { LocalPull } from './pull-events.ts'

export async function diffPull(forge: LocalForge, pull: LocalPull, format: readonly string[] = []): Promise<string> {
  const { from, to } = await pullRange(forge, pull)
  return gitOn(forge.repository(), ['diff', '--no-color', ...format, from, to, '--'], { read: true })
}

/** Its commits one by one, as mails that `git am` accepts. */
export async function patchPull(forge: LocalForge, pull: LocalPull): Promise<string> {
  const { from, to } = await pullRange(forge, pull)
  return gitOn(forge.repository(), ['format-patch', '--stdout', '--no-color', `${from}..${to}`, '--'], { read: true })
}

/** A closed or merged one is compared with the base as it was before. */
export async function pullRange(forge: LocalForge, pull: LocalPull): Promise<{ from: string; to: string }> {
  const { headSha, baseSha } = await observePull(forge, pull)
  const base = pull.mergeCommit === null ? (baseSha ?? pull.base) : `${pull.mergeCommit}^`
  const from = (await mergeBase(forge.memory, forge.repository(), { head: headSha, base })) ?? base
  return { from, to: headSha }
}
