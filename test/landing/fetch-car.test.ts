// An agent that is asked to rebase onto a car can get that commit wherever it works: a clone has it, and in a place a fetch brings it.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Duplex, type Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { offerCommit } from '../../src/lifecycle/landing/offer-commit.ts'
import { farPaths } from '../../src/plugins/place/far/far-paths.ts'
import { checkOut, createOrigin, setRemoteBranches } from '../../src/plugins/place/far/workspace.ts'
import type { HomeOfWork, LineSpec } from '../../src/plugins/place/home/line-files.ts'
import { answerAsk } from '../../src/plugins/place/line/answer-ask.ts'
import type { Far } from '../../src/plugins/place/reach/far.ts'
import { firstState } from '../../src/plugins/place/work/bring-home.ts'
import { readPack, writePack } from '../../src/plugins/place/work/pack.ts'
import { remoteBranches } from '../../src/plugins/place/work/send-workspace.ts'
import { createLoopWorld, snapshot } from '../lifecycle/loop-world.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome } from '../support/temp-home.ts'

const CAR = 'refs/ao/train/app/1'

/** A commit that nothing but the ref of its car leads to. */
function makeCar(repo: string, env: NodeJS.ProcessEnv, message: string): string {
  const car = git(repo, env, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', message)
  git(repo, env, 'update-ref', CAR, car)
  return car
}

describe('the car to rebase onto', () => {
  it('is brought into a clone', async () => {
    const world = await createLoopWorld()
    try {
      const { repo, env, temp } = world
      const id = await world.spawn()
      const clone = join(temp.home, 'clone')
      git(temp.home, env, 'clone', '--quiet', repo, clone)
      const { pr, ...read } = snapshot({})
      world.forge.readings.set(id, { kind: 'read', snapshot: { ...read, pr } })
      await world.tick()
      await world.store.update(id, { worktree: clone })
      const car = makeCar(repo, env, 'a car')
      expect(() => git(clone, env, 'cat-file', '-e', car)).toThrow()
      const project = world.config.projects['my-app']!
      await offerCommit(world.loop, project, { pull: pr.number, commit: car })
      expect(git(clone, env, 'cat-file', '-t', car)).toBe('commit')
      // One that is not there is reported, and the train goes on.
      await offerCommit(world.loop, project, { pull: pr.number, commit: 'f'.repeat(40) })
      expect(world.lines.at(-1)).toContain(`${id}: ffffffffff could not be brought to its clone`)
    } finally {
      await world.cleanup()
    }
  })

  it('comes with git fetch in a place, also one that was built after the agent started', async () => {
    const { home, env, cleanup } = createTempHome()
    const repo = createRepo(join(home, 'app'), env)
    const head = git(repo, env, 'rev-parse', 'main')
    const first = makeCar(repo, env, 'the first car')
    const paths = farPaths(join(home, 'place'))
    mkdirSync(paths.directory)
    const objectsTo = (pack: Readable) => readPack({ gitDir: paths.origin, env }, pack)
    const remote = await remoteBranches(repo, 'main', env)
    expect(remote).toEqual({ main: head, 'ao/train/app/1': first })
    await createOrigin(paths)
    const { pack, done } = writePack({ gitDir: join(repo, '.git'), env }, { wants: [head, first], haves: [] })
    await Promise.all([objectsTo(pack), done])
    // `true` instead of the host: what it would ask of home is done below.
    await checkOut(paths, { branch: 'feat/a', head, work: head, remote, settings: {}, exclude: '' }, ['true'])
    const there = (...args: string[]) => git(paths.workspace, env, ...args)
    expect(there('rev-parse', 'origin/ao/train/app/1')).toBe(first)

    const second = makeCar(repo, env, 'the second car')
    const lines = await answerFetch(
      { repo, head },
      {
        send: async (_path, pack) => void (await objectsTo(pack)),
        ask: async (_path, { body }) => void (await setRemoteBranches(paths, body as Record<string, string>)),
      },
    )
    expect(lines).toEqual([{ exit: 0 }])
    there('fetch', '--quiet', 'origin')
    expect([there('rev-parse', 'origin/ao/train/app/1'), there('log', '-1', '--format=%s', second)]).toEqual([
      second,
      'the second car',
    ])
    expect(await cleanup()).toEqual([])
  })
})

/** What home does when an agent in a place fetches, and says to it. */
async function answerFetch(
  { repo, head }: { repo: string; head: string },
  place: { send(path: string, pack: Readable): Promise<void>; ask(path: string, body: unknown): Promise<void> },
): Promise<unknown[]> {
  const lines: unknown[] = []
  const stream = new Duplex({
    read: () => undefined,
    write(chunk, _encoding, written) {
      lines.push(JSON.parse(String(chunk)))
      written()
    },
  })
  const far = {
    ...place,
    stream() {
      setImmediate(() => stream.emit('response', { ':status': 200 }))
      return stream
    },
  } as unknown as Far
  const sent = { ref: 'refs/heads/feat/a', head, work: head, tree: '' }
  const home: Partial<HomeOfWork> = { mirror: repo, project: repo, defaultBranch: 'main', sent }
  const state = firstState('')
  await answerAsk({
    far,
    spec: { home } as LineSpec,
    env: process.env,
    keep: { state: () => state, save: () => undefined },
    save: async () => undefined,
    ask: { type: 'ask', n: 1, id: 'a', tool: 'fetch', argv: [] },
    record: async () => undefined,
    open: { count: 0 },
  })
  return lines
}
