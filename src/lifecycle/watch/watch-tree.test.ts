import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { watchTree } from './watch-tree.ts'

let root: string
let seen: string[]
let watched: { close(): void }
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aot-'))
  seen = []
  watched = watchTree(
    root,
    (name) => seen.push(name),
    () => expect.fail(),
  )
})
afterEach(() => {
  watched.close()
  rmSync(root, { recursive: true, force: true })
})

/** As git writes a branch. */
function replace(name: string, text: string): void {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.lock`, text)
  renameSync(`${path}.lock`, path)
}

describe('watching a tree', () => {
  it('reports a file that is replaced again and again, in a directory that is new', async () => {
    for (let round = 0; round < 4; round++) {
      seen.length = 0
      replace('feat/deep/x', String(round))
      // The first time only its directory may be reported.
      await waitFor('the change', () => seen.some((name) => round === 0 || name === 'feat/deep/x'))
    }
  })

  it('continues after a directory was removed and made again', async () => {
    replace('feat/x', 'a')
    await waitFor('the first', () => seen.includes('feat'))
    rmSync(join(root, 'feat'), { recursive: true })
    await waitFor('its end', () => seen.length > 0)
    replace('feat/x', 'b')
    await waitFor('the second', () => {
      replace('feat/x', 'c')
      return seen.filter((name) => name === 'feat/x').length > 1
    })
  })

  it('cannot watch a missing path', () => {
    expect(() =>
      watchTree(
        join(root, 'nothing'),
        () => undefined,
        () => expect.fail(),
      ),
    ).toThrow(/ENOENT/)
  })
})
