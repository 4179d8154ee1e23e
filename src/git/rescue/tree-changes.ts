// What differs between two trees, file by file.
import { type Checkout, gitLines } from '../workspace/checkout.ts'

export interface Change {
  oldMode: string
  /** 000000: deleted. */
  mode: string
  id: string
  /** As git prints it (quoted-path.ts). */
  path: string
}

export async function changesBetween(checkout: Checkout, from: string, to: string): Promise<Change[]> {
  if (from === to) return []
  const lines = await gitLines(checkout, ['diff-tree', '-r', '--raw', '--no-renames', '--full-index', from, to], {
    read: true,
  })
  return lines.map((line) => {
    const [, oldMode, mode, id, path] = /^:(\d+) (\d+) [0-9a-f]+ ([0-9a-f]+) \w\d*\t(.*)$/.exec(line) ?? []
    if (path === undefined) throw new Error(`git diff-tree printed an unknown line: ${line}`)
    return { oldMode: oldMode!, mode: mode!, id: id!, path }
  })
}
