// What nobody may miss or do twice: starts, ends of a pause, requests to an agent, notifications of a train.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { runtimeName } from '../../src/contract/ids.ts'
import { STARTED } from '../../src/core/status/status-of-record.ts'
import { openRepository } from '../../src/git/repository.ts'
import { changeAfter, readAfter, runAfter } from '../../src/landing/after-landing.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { notifyUntested } from '../../src/lifecycle/landing/keep-hosted-train.ts'
import { landGroups } from '../../src/lifecycle/landing/land-groups.ts'
import { restackSession } from '../../src/lifecycle/landing/restack-session.ts'
import { keepPause } from '../../src/lifecycle/watch/watch-pause.ts'
import { resumeFleet } from '../../src/manager/attend/resume-fleet.ts'
import { changePause, pauseFile, readPause } from '../../src/store/fleet-pause.ts'
import { createTask } from '../../src/store/tasks.ts'
import { git } from '../support/git-repo.ts'
import { waitFor } from '../support/wait-for.ts'
import { createLoopWorld, type LoopWorld } from './loop-world.ts'

let world: LoopWorld

afterEach(async () => {
  vi.useRealTimers()
  expect(await world.temp.cleanup()).toEqual([])
})

const project = () => world.config.projects['my-app']!
const AT = '2026-01-01T00:00:00.000Z'

/** app-1, in the place box. */
const runInPlace = () => {
  const id = runtimeName(world.loop.context.paths.hash, 'app-1')
  const runtimeHandle = { id, runtimeName: 'fake', data: { spawnId: 's-1' } }
  return world.store.reserve(
    'app-1',
    { project: 'my-app', agent: 'fake', place: 'box', spawnId: 's-1', tmuxName: id, runtimeHandle, ...STARTED },
    { type: 'session.reserved', project: 'my-app', agent: 'fake', branch: 'b', issue: null, role: 'worker' },
  )
}

it('keeps an agent in a place that cannot be reached among those to be resumed, until it goes on', async () => {
  let isReachable = false
  const setStopped = async () => {
    if (!isReachable) throw new Error('the machine does not answer')
  }
  world = await createLoopWorld({ runtime: { elsewhere: { place: 'box', setStopped } as never } })
  await runInPlace()
  const { context } = world.loop
  const agent = { projectDir: world.paths.dir, sessionId: 'app-1', spawnId: 's-1', place: 'box' }
  await changePause(context.paths, () => ({ state: 'paused', at: AT, by: 'me', stopped: [agent] }))
  expect(await resumeFleet(context)).toMatchObject({ continued: [], failed: [{ sessionId: 'app-1' }] })
  expect(readPause(context.paths)).toMatchObject({ state: 'resuming', stopped: [agent] })
  isReachable = true
  expect(await resumeFleet(context)).toMatchObject({ continued: ['app-1'], failed: [] })
  expect(readPause(context.paths)).toBeNull()
})

it('does not end a pause that was ordered again while the one before was being resumed', async () => {
  const setStopped = async () => {
    await changePause(world.loop.context.paths, (now) => now && { ...now, state: 'paused' })
  }
  world = await createLoopWorld({ runtime: { elsewhere: { place: 'box', setStopped } as never } })
  await runInPlace()
  const { paths } = world.loop.context
  const agent = { projectDir: world.paths.dir, sessionId: 'app-1', spawnId: 's-1', place: 'box' }
  await changePause(paths, () => ({ state: 'paused', at: AT, by: 'me', stopped: [agent] }))
  await resumeFleet(world.loop.context)
  expect(readPause(paths)?.state).toBe('paused')
})

it('notices a pause although the directory could not be watched', async () => {
  world = await createLoopWorld()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { context } = world.loop
  const paths = { ...context.paths, dataDir: join(world.temp.home, 'later') }
  const keeper = keepPause({ ...world.loop, context: { ...context, paths } }, () => undefined)
  expect(keeper.isPaused()).toBe(false)
  mkdirSync(paths.dataDir)
  writeFileSync(pauseFile(paths), JSON.stringify({ state: 'paused', at: AT, by: 'me', stopped: [] }))
  vi.advanceTimersByTime(10_000)
  expect(keeper.isPaused()).toBe(true)
  expect(keeper.signal().aborted).toBe(true)
  await waitFor('the pause', async () => world.lines.some((line) => line.startsWith('paused by me')))
  keeper.close()
})

it('asks an agent to rebase again if it could not even queue the request', async () => {
  world = await createLoopWorld()
  const id = await world.spawn()
  world.activity.current = { state: 'ready', timestamp: world.clock.now() } as never
  const at = 'a'.repeat(40)
  await world.store.update(id, { stack: { on: 'app-0', at }, place: 'box' })
  let isDown = true
  const deliver = async () => {
    if (isDown) throw new Error('no space left')
    return { messageId: 'm', level: 'seen' as const }
  }
  const loop = { ...world.loop, manager: { ...world.loop.manager, deliver: deliver as never } }
  const ask = async () => {
    const record = world.store.read(id)!.record
    const repository = openRepository(world.repo, world.env)
    const ground = { loop, project: project(), repository, scm: null, remote: null, tips: new Map<string, string>() }
    const stacked = { ...ground, id, record, stack: { ...record.stack!, at } }
    await restackSession(stacked, { onto: 'b'.repeat(40), from: 'c'.repeat(40) })
    return world.store.read(id)!.record.stack
  }
  expect(await ask()).toMatchObject({ why: 'its agent could not be asked to rebase: no space left' })
  expect((await ask())?.requested).toBeUndefined()
  expect(world.lines).toHaveLength(1)
  isDown = false
  expect((await ask())?.requested).toBe('b'.repeat(40))
})

it('lands the other groups although the file of one is damaged', async () => {
  world = await createLoopWorld()
  const common = {
    kind: 'group',
    project: 'my-app',
    createdAt: AT,
    owner: '1:1:1',
    request: {},
    reserved: true,
  } as const
  for (const id of ['t00000001', 't00000002'])
    await createTask(world.paths.dir, { id, ...common, members: [{ project: 'my-app', session: 'gone-1' }] })
  writeFileSync(join(world.paths.dir, 'tasks', 't00000001.json'), '{')
  const landing = landGroups(world.loop, project(), new AbortController().signal)
  await expect(landing).rejects.toThrow('t00000001: The file of task t00000001 is damaged')
  expect(world.notifications.map(({ message }) => message)).toEqual([expect.stringContaining('t00000002')])
})

it('notifies a person of a tree that landed untested, also after the loop that landed it was killed', async () => {
  world = await createLoopWorld()
  const file = openTrainFile({ projectDir: world.paths.dir, clock: world.clock })
  const landed = { type: 'landed', pull: 7, headSha: 'a'.repeat(40), commit: 'b'.repeat(40) } as const
  await file.append({ ...landed, untested: 'it was merged by hand' })
  await notifyUntested(world.loop, project(), world.paths.dir)
  await notifyUntested(world.loop, project(), world.paths.dir)
  expect(world.notifications.map(({ message }) => message)).toEqual([expect.stringContaining('never tested')])
})

it('names a damaged list of landings, and never begins another one over it', async () => {
  world = await createLoopWorld()
  await changeAfter(world.paths.dir, () => ({ since: AT, landings: [] }))
  const file = join(world.paths.dir, 'landing', 'after.json')
  writeFileSync(file, '{ "since": "2026')
  await expect(changeAfter(world.paths.dir, () => ({ since: AT, landings: [] }))).rejects.toThrow(file)
  expect(readFileSync(file, 'utf8')).toBe('{ "since": "2026')
})

it('starts no step after a landing while everything is paused', async () => {
  world = await createLoopWorld()
  const commit = git(world.repo, world.env, 'rev-parse', 'HEAD')
  await changeAfter(world.paths.dir, () => ({ since: AT, landings: [{ commit, pull: null, at: AT, steps: {} }] }))
  await runAfter({
    project: { ...project(), landing: { after: [{ name: 'deploy', run: 'true' }] } } as never,
    projectDir: world.paths.dir,
    repository: openRepository(world.repo, world.env),
    clock: world.clock as never,
    signal: new AbortController().signal,
    isPaused: () => true,
    requireTrust: () => undefined,
    say: () => undefined,
    ask: async () => undefined,
  })
  expect(readAfter(world.paths.dir)!.landings[0]!.steps).toEqual({})
})

it('asks about a step after a landing that failed too often before it is written down as such', async () => {
  world = await createLoopWorld()
  const commit = git(world.repo, world.env, 'rev-parse', 'HEAD')
  const failed = { state: 'failed', attempts: 4, at: AT, why: 'no' } as const
  const landings = [{ commit, pull: null, at: AT, steps: { deploy: failed } }]
  await changeAfter(world.paths.dir, () => ({ since: AT, landings }))
  const step = { name: 'deploy', run: 'false' }
  const questions: string[] = []
  world.clock.pass(24 * 3_600_000)
  const run = runAfter({
    project: { ...project(), landing: { after: [step] } } as never,
    projectDir: world.paths.dir,
    repository: openRepository(world.repo, world.env),
    clock: world.clock as never,
    signal: new AbortController().signal,
    isPaused: () => false,
    requireTrust: () => undefined,
    say: () => undefined,
    async ask(_step, _commit, _run, since) {
      questions.push(since)
      throw new Error('no space left')
    },
  })
  await expect(run).rejects.toThrow('no space left')
  // Found by the next round, as after a crash.
  const { deploy } = readAfter(world.paths.dir)!.landings[0]!.steps
  expect(deploy).toMatchObject({ state: 'running', attempts: 5 })
  // The same question for whoever finds it, and another one after the next attempt.
  expect(questions).toEqual([deploy?.at])
})
