// The tests of a change on the commit that it started from, as a commit: everything else is as it was there. It is made in the vault, so it is
// checked out exactly, like every other.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitOn } from '../../git/repository.ts'
import { deliver } from '../../git/vault/deliver.ts'
import { markComplete } from '../../git/vault/verified.ts'
import { removeTree } from '../../lib/remove.ts'
import { type CommitRange, type RawChange, verifiedRange } from './read-change.ts'

const AUTHOR = { NAME: 'ao', EMAIL: 'ao@localhost', DATE: '1000000000 +0000' }

/** The same parts make the same commit. */
export async function makeTestsOnBase(
  range: CommitRange,
  changes: readonly RawChange[],
): Promise<{ commit: string; tree: string }> {
  const vault = await verifiedRange(range)
  const scratch = mkdtempSync(join(tmpdir(), 'ao-witness-'))
  try {
    const extraEnv = { GIT_INDEX_FILE: join(scratch, 'index') }
    const none = '0'.repeat(range.from.length)
    const entry = ({ status, mode, blob, path }: RawChange) =>
      status === 'D' ? `0 ${none}\t${path}\0` : `${mode} ${blob}\t${path}\0`
    await gitOn(vault, ['read-tree', range.from], { extraEnv })
    const input = changes.map(entry).join('')
    await gitOn(vault, ['update-index', '-z', '--index-info'], { extraEnv, input })
    const tree = (await gitOn(vault, ['write-tree'], { extraEnv })).trim()
    const identity = Object.entries(AUTHOR).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ])
    const args = ['commit-tree', tree, '-p', range.from, '-m', 'The tests of a change, without the change']
    const commit = (await gitOn(vault, args, { extraEnv: Object.fromEntries(identity) })).trim()
    markComplete(vault, commit)
    await deliver(vault, commit, range.from)
    return { commit, tree }
  } finally {
    removeTree(scratch)
  }
}
