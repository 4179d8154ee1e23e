// The work in a place as home needs it: HEAD, and a commit on top of it with everything that git does not ignore.
import type { Readable } from 'node:stream'
import { captureTrees } from '../../../git/rescue/capture-trees.ts'
import { commitTree } from '../../../git/rescue/rescue-commit.ts'
import { FIXED_DATE } from '../../../git/rescue/rescue-state.ts'
import { requireCheckout, tryGitIn, withScratch } from '../../../git/workspace/checkout.ts'
import type { FarWork } from '../far-contract.ts'
import { writePack } from '../work/pack.ts'

/** null: there is no commit yet, so nothing that home could build on. */
export async function captureWork(workspace: string): Promise<FarWork | null> {
  const checkout = requireCheckout(workspace, process.env)
  return withScratch(checkout, async (scratch) => {
    const { head, workTree } = await captureTrees(checkout, scratch)
    if (head.commit === null) return null
    const parents = [head.commit]
    const message = 'Work in progress\n'
    const work = await commitTree(checkout, { tree: workTree, parents, message, date: FIXED_DATE })
    return { ref: head.ref, head: head.commit, work, tree: workTree }
  })
}

/** The objects of `wants` that home lacks; `haves` it has, as far as they are present here. */
export async function packWork(
  workspace: string,
  { wants, haves }: { wants: string[]; haves: string[] },
): Promise<{ pack: Readable; done: Promise<void> }> {
  const checkout = requireCheckout(workspace, process.env)
  const present: string[] = []
  for (const id of haves) {
    const found = await tryGitIn(checkout, ['cat-file', '-e', `${id}^{commit}`], { read: true })
    if (found.ok) present.push(id)
  }
  return writePack({ gitDir: checkout.gitDir, env: process.env }, { wants, haves: present })
}
