import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../../test/support/temp-home.ts'
import { readPack, writePack } from './pack.ts'

let temp: TempHome
let pack: Buffer
let head: string
let target: { gitDir: string; env: NodeJS.ProcessEnv }

beforeEach(async () => {
  temp = createTempHome()
  const repo = createRepo(join(temp.home, 'app'), temp.env)
  head = git(repo, temp.env, 'rev-parse', 'HEAD').trim()
  const written = writePack({ gitDir: join(repo, '.git'), env: temp.env }, { wants: [head], haves: [] })
  pack = await buffer(written.pack)
  await written.done
  const other = join(temp.home, 'other')
  mkdirSync(other)
  execFileSync('git', ['init', '-q', '--bare', '.'], { cwd: other, env: temp.env })
  target = { gitDir: other, env: temp.env }
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

const has = (id: string) =>
  execFileSync('git', ['--git-dir', target.gitDir, 'cat-file', '-t', id], { env: temp.env, encoding: 'utf8' }).trim()

describe('a pack that arrives', () => {
  it('is in the repository, also when its stream ends later than git does', async () => {
    const stream = new PassThrough()
    stream.write(pack)
    const read = readPack(target, stream)
    // A line often closes a moment after the last byte.
    setTimeout(() => stream.end(), 300)
    await read
    expect(has(head)).toBe('commit')
  })

  it('leaves its stream open when git is done first: the answer to it is still to be written', async () => {
    const stream = new PassThrough()
    stream.write(pack)
    await readPack(target, stream)
    expect(has(head)).toBe('commit')
    stream.write('more than the pack')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(stream.destroyed).toBe(false)
    stream.end()
  })

  it('is refused when its stream is cut off', async () => {
    const stream = new PassThrough()
    stream.write(pack.subarray(0, -10))
    setTimeout(() => stream.destroy(new Error('cut')), 50)
    await expect(readPack(target, stream)).rejects.toThrow(/index-pack failed/)
  })
})
