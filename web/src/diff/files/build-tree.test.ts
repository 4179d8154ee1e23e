import { describe, expect, it } from 'vitest'
import { buildTree } from './file-tree.tsx'

const tree = (...paths: string[]) => buildTree(paths.map((path) => ({ path })))
/** As indented lines. */
const drawn = (children: ReturnType<typeof tree>, depth = 0): string[] =>
  children.flatMap((child) =>
    child.kind === 'file'
      ? [`${' '.repeat(depth)}${child.name}`]
      : [`${' '.repeat(depth)}${child.name}/`, ...drawn(child.children, depth + 1)],
  )

describe('the tree of files', () => {
  it('has folders in the order of the diff and joins those with nothing else in them', () => {
    expect(drawn(tree('README.md', 'src/git/diff/a.ts', 'src/git/diff/b.ts', 'web/x.ts', 'web/y/z.ts'))).toEqual([
      'README.md',
      'src/git/diff/',
      ' a.ts',
      ' b.ts',
      'web/',
      ' x.ts',
      ' y/',
      '  z.ts',
    ])
  })

  it('keeps a file and a folder of the same name, and hostile names, apart', () => {
    expect(drawn(tree('a', 'a/b', '__proto__/constructor', 'a'))).toEqual([
      'a',
      'a/',
      ' b',
      '__proto__/',
      ' constructor',
      'a',
    ])
  })
})
