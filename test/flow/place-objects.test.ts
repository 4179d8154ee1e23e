// Commits on their way to a place, counted on the channel: a machine gets the history of a repository once, and nobody there can make
// a later session see other content.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRepository } from '../../src/git/repository.ts'
import { type Far, openFar } from '../../src/plugins/place/reach/far.ts'
import { programChannel } from '../../src/plugins/place/reach/program-channel.ts'
import { writePack } from '../../src/plugins/place/work/pack.ts'
import { sendObjects } from '../../src/plugins/place/work/send-objects.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { buildAo } from '../support/run-ao.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

const FAR = join(import.meta.dirname, '..', '..', 'dist', 'far')
const MB = 1024 * 1024

let temp: TempHome
let repo: string
let hosts: ChildProcess[]
let notices: string[]

beforeAll(buildAo)
beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'app'), temp.env)
  hosts = []
  notices = []
})
afterEach(async () => {
  for (const host of hosts) host.kill('SIGKILL')
  expect(await temp.cleanup()).toEqual([])
})

const run = (...args: string[]) => git(repo, temp.env, ...args)

/** A commit with this many megabytes that do not compress. */
function commit(name: string, megabytes: number): string {
  writeFileSync(join(repo, name), randomBytes(megabytes * MB))
  run('add', '-A')
  run('commit', '-qm', name)
  return run('rev-parse', 'HEAD')
}

interface There {
  far: Far
  directory: string
  /** Bytes that home sent on the channel. */
  sent(): number
  git(...args: string[]): string
}

/** The host of one session, on a machine that is a directory. */
async function session(name: string): Promise<There> {
  const directory = join(temp.home, 'machine', 's', name)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'place.json'), JSON.stringify({ name, spawnId: name }))
  const env = { PATH: temp.env.PATH, HOME: join(temp.home, 'machine') }
  hosts.push(spawn(process.execPath, [join(FAR, 'host.js'), 'serve', directory], { env, stdio: 'inherit' }))
  await waitFor('its host', () => existsSync(join(directory, 'host.id')))
  const channel = programChannel([process.execPath, join(FAR, 'connect.cjs'), directory], env)
  let sent = 0
  const { stdin } = channel
  const write = stdin.write.bind(stdin) as (...args: unknown[]) => boolean
  stdin.write = ((chunk: Buffer, ...rest: unknown[]) => {
    sent += chunk.length
    return write(chunk, ...rest)
  }) as typeof stdin.write
  const far = await openFar(channel)
  return {
    far,
    directory,
    sent: () => sent,
    git: (...args) => git(join(directory, 'origin.git'), temp.env, ...args),
  }
}

async function send(name: string, base: string, work: string, remote: string | null = null): Promise<There> {
  const there = await session(name)
  await sendObjects(there.far, openRepository(repo, temp.env), {
    base: [base],
    work,
    remote: remote === null ? null : { url: remote, branches: ['main'] },
    onNotice: (line) => notices.push(line),
  })
  there.far.close()
  // Everything that the session needs is there, and nothing else of another session.
  there.git('rev-list', '--objects', '--quiet', base, work)
  return there
}

/** As every start did before: all branches of origin, whatever the place has. */
async function sentBefore(...wants: string[]): Promise<number> {
  const { pack, done } = writePack({ gitDir: join(repo, '.git'), env: temp.env }, { wants, haves: [] })
  let bytes = 0
  for await (const chunk of pack) bytes += (chunk as Buffer).length
  await done
  return bytes
}

const cacheFiles = () => {
  const caches = join(temp.home, 'machine', 'cache')
  return readdirSync(caches, { recursive: true, encoding: 'utf8' })
    .map((name) => join(caches, name))
    .filter((file) => statSync(file).isFile())
}

describe('the history of a repository', () => {
  it('is sent to a machine once: 8 MB for the first session, kilobytes for the next', async () => {
    const base = commit('history', 8)
    run('checkout', '-qb', 'other')
    const other = commit('pushed-by-another', 8)
    run('checkout', '-q', 'main')
    const first = await send('first', base, base)
    run('checkout', '-qb', 'work')
    const work = commit('note', 0)
    const second = await send('second', base, work)
    const before = await sentBefore(work, base, other)
    const [was, one, two] = [before, first.sent(), second.sent()].map((bytes) => `${(bytes / MB).toFixed(3)} MB`)
    console.log(`sent at each start before: ${was}; now for the first session: ${one}, for the second: ${two}`)
    expect(before).toBeGreaterThan(16 * MB)
    expect(first.sent()).toBeLessThan(9 * MB)
    expect(second.sent()).toBeLessThan(64 * 1024)
    expect(() => second.git('cat-file', '-e', other)).toThrow()
  })

  it('grows there with the base branch, in packs that are worth keeping', async () => {
    const base = commit('history', 2)
    await send('first', base, base)
    const small = commit('small', 0)
    await send('second', small, small)
    expect(cacheFiles()).toHaveLength(2)
    const large = commit('large', 2)
    await send('third', large, large)
    expect(cacheFiles()).toHaveLength(4)
    const fourth = await send('fourth', large, large)
    expect(fourth.sent()).toBeLessThan(64 * 1024)
  })
})

describe('an agent that writes to what its machine keeps', () => {
  const overwrite = (file: string, bytes: Buffer) => {
    chmodSync(file, 0o600)
    writeFileSync(file, bytes)
  }
  const packs = () => cacheFiles().filter((file) => file.endsWith('.pack'))

  it('cannot damage or replace what a later session gets', async () => {
    const base = commit('history', 2)
    await send('first', base, base)
    const [pack = ''] = packs()
    const honest = readFileSync(pack)
    const flipped = Buffer.from(honest)
    flipped[flipped.length >> 1]! ^= 1
    overwrite(pack, flipped)
    await send('second', base, base)
    expect(packs()).toHaveLength(1)
    expect(readFileSync(packs()[0]!)).toEqual(honest)

    // A sound pack of other content, under the same name.
    const evil = createRepo(join(temp.home, 'evil'), temp.env)
    writeFileSync(join(evil, 'history'), 'not what home sent')
    git(evil, temp.env, 'add', '-A')
    git(evil, temp.env, 'commit', '-qm', 'evil')
    git(evil, temp.env, 'repack', '-adq')
    const made = readdirSync(join(evil, '.git/objects/pack')).find((name) => name.endsWith('.pack'))!
    overwrite(packs()[0]!, readFileSync(join(evil, '.git/objects/pack', made)))
    const third = await send('third', base, base)
    expect(third.git('cat-file', '-s', `${base}:history`)).toBe(String(2 * MB))
  })

  it('cannot make home leave something out by claiming that it is there', async () => {
    const base = commit('history', 2)
    await send('first', base, base)
    const next = commit('next', 2)
    const [tips = ''] = cacheFiles().filter((file) => file.endsWith('.tips'))
    overwrite(tips, Buffer.from(`${next}\n${base}\nnot an id\n${'f'.repeat(40)}\n`))
    const second = await send('second', next, next)
    expect(second.git('cat-file', '-s', `${next}:next`)).toBe(String(2 * MB))
  })

  it('cannot write to the repository of a session through it', async () => {
    const base = commit('history', 2)
    const first = await send('first', base, base)
    const inode = (file: string) => statSync(file).ino
    const own = readdirSync(join(first.directory, 'origin.git/objects/pack')).map((name) =>
      inode(join(first.directory, 'origin.git/objects/pack', name)),
    )
    for (const file of packs()) expect(own).not.toContain(inode(file))
  })
})

describe('with `cloneFrom: remote`', () => {
  it('the place fetches by itself, and home sends the work alone', async () => {
    const base = commit('history', 5)
    git(temp.home, temp.env, 'clone', '-q', '--bare', repo, 'remote.git')
    run('checkout', '-qb', 'work')
    const work = commit('note', 0)
    const there = await send('first', base, work, `file://${join(temp.home, 'remote.git')}`)
    expect(there.sent()).toBeLessThan(64 * 1024)
    expect(notices).toEqual([])
  })

  it('what cannot be fetched is sent from home, which says so; no program is started for it', async () => {
    const base = commit('history', 1)
    const canary = join(temp.home, 'canary')
    await send('first', base, base, `ext::sh -c touch% ${canary}`)
    expect(notices).toEqual([expect.stringMatching(/could not fetch from the remote.*not allowed/)])
    expect(existsSync(canary)).toBe(false)
    await send('second', base, base, `file://${join(temp.home, 'nowhere.git')}`)
    expect(notices).toHaveLength(2)
  })
})
