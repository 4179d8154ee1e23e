// The model of a power loss itself: what must survive in every state does, and what may be lost is lost in some.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/rehearsal/random.ts'
import { cutPower, loseNothing, writeState } from './power-cut.ts'
import { canPreload, createPreload, recording } from './preload.ts'
import { beginTrace, completeTrace, type Node, type Trace } from './trace.ts'

let directory: string
let root: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-power-'))
  root = join(directory, 'root')
  mkdirSync(root)
  writeFileSync(join(root, 'file'), 'old')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Runs a script of node below the root, and returns what it did. */
function record(script: string, command: 'node' | 'bash' = 'node'): Trace {
  const preload = createPreload(directory, root)
  const trace = beginTrace(root)
  const argv =
    command === 'node' ? ['--input-type=module', '-e', `import * as fs from 'node:fs';${script}`] : ['-c', script]
  const done = spawnSync(command === 'node' ? process.execPath : 'bash', argv, {
    cwd: root,
    env: { ...process.env, ...recording(preload, 'trace') },
    encoding: 'utf8',
  })
  expect(done.stderr).toBe('')
  completeTrace(trace, preload.trace(), [])
  return trace
}

/** All contents that `name` has after 300 cuts at the end; null: it is not there. */
function outcomes(trace: Trace, name: string, at = trace.changes.length): Set<string | null> {
  const found = new Set<string | null>()
  for (let seed = 0; seed < 300; seed++) {
    const state = cutPower(trace, at, createRandom(seed))
    const find = (node: Node | undefined, part: string) =>
      node === undefined ? undefined : state.entries.get(node)?.get(part)
    const node = name.split('/').reduce(find, trace.root)
    found.add(node === undefined ? null : state.content.get(node)!.toString())
  }
  return found
}

describe.runIf(canPreload)('a power loss', () => {
  it('leaves the old content or the new one of a file that was written, synced and renamed', () => {
    const trace = record(`
      const fd = fs.openSync('new', 'w'); fs.writeSync(fd, 'fresh'); fs.fsyncSync(fd); fs.closeSync(fd); fs.renameSync('new', 'file')`)
    expect(outcomes(trace, 'file')).toEqual(new Set(['old', 'fresh']))
  })

  it('leaves the new one only, once the directory was synced too', () => {
    const trace = record(`
      const fd = fs.openSync('new', 'w'); fs.writeSync(fd, 'fresh'); fs.fsyncSync(fd); fs.closeSync(fd); fs.renameSync('new', 'file')
      const dir = fs.openSync('.', 'r'); fs.fsyncSync(dir)`)
    expect(outcomes(trace, 'file')).toEqual(new Set(['fresh']))
  })

  it('leaves an empty, a torn and a zeroed file where a rename came without a sync', () => {
    const found = outcomes(record(`fs.writeFileSync('new', 'fresh'); fs.renameSync('new', 'file')`), 'file')
    for (const content of ['old', 'fresh', '', 'fre', '\0'.repeat(5)]) expect(found).toContain(content)
  })

  it('may lose a new file whose data was synced in a directory that was not, unless something later was synced', () => {
    const made = `const fd = fs.openSync('new', 'w'); fs.writeSync(fd, 'fresh'); fs.fsyncSync(fd); fs.renameSync('new', 'name');`
    expect(outcomes(record(made), 'name')).toEqual(new Set([null, 'fresh']))
    const later = `const other = fs.openSync('other', 'w'); fs.fsyncSync(other)`
    expect(outcomes(record(made + later), 'name')).toEqual(new Set(['fresh']))
  })

  it('may lose what bash wrote, byte by byte, and what it appended', () => {
    const found = outcomes(record('echo fresh > made; echo more >> file', 'bash'), 'made')
    for (const content of [null, '', 'fresh\n', 'fr']) expect(found).toContain(content)
    expect(outcomes(record('echo more >> file', 'bash'), 'file')).toContain('oldmore\n')
  })

  it('takes data that git pushes out with one flush for synced', () => {
    const env = { ...process.env, HOME: directory, GIT_CONFIG_NOSYSTEM: '1' }
    spawnSync('git', ['init', '--quiet', root], { env })
    const batch = '-c core.fsync=loose-object,reference -c core.fsyncMethod=batch'
    const trace = record(`for i in 1 2 3; do echo $i > $i; done; git ${batch} add 1 2 3; : > later; sync later`, 'bash')
    const [id] = spawnSync('git', ['hash-object', '2'], { cwd: root, env, encoding: 'utf8' }).stdout.split('\n')
    const object = `.git/objects/${id!.slice(0, 2)}/${id!.slice(2)}`
    const complete = readFileSync(join(root, object), 'latin1')
    for (const content of outcomes(trace, object))
      expect(content).toBe(Buffer.from(complete, 'latin1').toString('utf8'))
  })

  it('happens at any change, and the trace leads to what is really there', () => {
    const trace = record(
      'mkdir -p a/b; echo one > a/b/c; mv a d; ln -s d/b link; rm file; : > d/b/c; sync d/b/c',
      'bash',
    )
    for (let at = 0; at <= trace.changes.length; at++) outcomes(trace, 'd/b/c', at)
    writeState(trace, loseNothing(trace), root)
    expect(readFileSync(join(root, 'link', 'c'), 'utf8')).toBe('')
    expect(existsSync(join(root, 'file'))).toBe(false)
  })
})

describe.runIf(canPreload)('what ao writes', () => {
  const source = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path))

  it.each(['creating', 'ready', 'removing'])(
    'a record of a workspace that is %s is the old one or the new one',
    (state) => {
      writeFileSync(join(root, '.app-1.json'), 'old')
      const trace = record(`
      const { updateRecord } = await import(${source('git/workspace/record.ts')})
      updateRecord(process.cwd() + '/app-1', { state: '${state}' })`)
      for (let at = 0; at <= trace.changes.length; at++)
        for (const content of outcomes(trace, '.app-1.json', at))
          expect(['old', `{"state":"${state}"}\n`]).toContain(content)
      expect(outcomes(trace, '.app-1.json')).toEqual(new Set([`{"state":"${state}"}\n`]))
    },
  )

  it('a vault vouches for no commit whose objects may be missing', () => {
    const env = { ...process.env, HOME: root, GIT_CONFIG_NOSYSTEM: '1' }
    const made =
      'git init -q repo && cd repo && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m one && git rev-parse HEAD'
    const head = spawnSync('bash', ['-c', made], { cwd: root, env, encoding: 'utf8' }).stdout.trim()
    const trace = record(`
      process.env.HOME = process.cwd()
      const { openRepository } = await import(${source('git/repository.ts')})
      const { verified } = await import(${source('git/vault/verified.ts')})
      await verified(openRepository(process.cwd() + '/repo', process.env), ['${head}'])`)
    const marked = new Set<string>()
    for (let seed = 0; seed < 300; seed++) {
      const state = cutPower(trace, trace.changes.length, createRandom(seed))
      const below = (node: Node | undefined, path: string) =>
        path.split('/').reduce((one, part) => (one === undefined ? one : state.entries.get(one)?.get(part)), node)
      const [vault] = state.entries.get(below(trace.root, '.ao/vault')!)?.values() ?? []
      if (below(vault, `1/complete/${head}`) === undefined) continue
      const packs = state.entries.get(below(vault, '1/objects/pack')!)!
      for (const [name, node] of packs)
        marked.add(`${extname(name)} ${state.content.get(node)!.toString('latin1', 0, 4)}`)
      marked.add(`${packs.size} files`)
    }
    expect([...marked].sort()).toEqual(['.idx \xfftOc', '.pack PACK', '2 files'])
  })
})
