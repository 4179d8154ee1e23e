// The structure of work on forges elsewhere, through their plugins, with real worktrees and remotes: stacks, groups, steps after a
// landing, commands in comments, and what trackers say about dependencies.
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { signComment } from '../../src/core/forge/comment-signature.ts'
import { readIfThere } from '../../src/lib/plain-file.ts'
import { keepAfter } from '../../src/lifecycle/landing/keep-after.ts'
import { landGroups } from '../../src/lifecycle/landing/land-groups.ts'
import { keepStacks } from '../../src/lifecycle/loop/keep-stacks.ts'
import { storedSessions } from '../../src/manager/active.ts'
import { changeTask, createTask, readTask } from '../../src/store/tasks.ts'
import { THOROUGH } from '../support/cover.ts'
import { createHostedLoop, FORGES, type HostedLoop } from './hosted-loop.ts'
import { type Forge, startForge } from './start-forge.ts'

vi.setConfig({ testTimeout: 180_000 })

const TASK = 't0000abcd'
const never = new AbortController().signal

describe.each(Object.entries(FORGES))('on %s', (name, { script, create, tracker }) => {
  /** Long ones: on one forge each time, on all of them in `npm run test:thorough`. */
  const isPlayed = (each: keyof typeof FORGES) => THOROUGH || name === each
  let forge: Forge
  let loop: HostedLoop
  beforeAll(async () => {
    forge = await startForge(script)
  }, 60_000)
  afterEach(() => loop.end())
  afterAll(() => forge?.stop())

  it.runIf(isPlayed('gitlab'))(
    'a stacked branch follows with a lease, keeps what others pushed, and lands where the one below did',
    async () => {
      const world = await create(forge)
      loop = await createHostedLoop({ 'my-app': world }, { yaml: 'speculate: true' })
      const { remote } = world
      const poll = () => keepStacks(loop.loop, loop.project(), storedSessions(loop.loop.context, 'my-app'))
      const first = await loop.start()
      loop.work(first, 'one')
      const below = loop.record(first).branch!
      const second = await loop.start({}, { needs: [first] })
      loop.work(second, 'two')
      const above = loop.record(second).branch!
      expect(loop.record(second)).toMatchObject({ baseBranch: below, stack: { on: first } })
      const [onMain, onFirst] = [await loop.handIn(first), await loop.handIn(second, below)]

      // Commits that are here and not pushed yet are not taken back.
      loop.inTree(first, 'commit', '--quiet', '--allow-empty', '--message', 'not pushed')
      const before = remote.tip(above)
      await poll()
      expect(remote.tip(above)).toBe(before)
      const third = await loop.start({}, { needs: [second] })
      loop.work(third, 'three')
      const more = loop.work(first, 'more')
      await poll()
      const moved = remote.tip(above)
      expect(loop.inTree(second, 'rev-parse', 'HEAD')).toBe(moved)
      expect(loop.inRepo('log', '--format=%s', `${more}..${moved}`)).toBe('two')
      // Those above in the same round.
      expect(loop.inRepo('log', '--format=%s', `${moved}..${remote.tip(loop.record(third).branch!)}`)).toBe('three')

      // Killed after the push: what was announced is found done.
      const { stack } = loop.record(second)
      const moving = { onto: more, from: before, to: moved }
      await loop.store.update(second, { stack: { ...stack!, at: loop.inRepo('rev-parse', `${before}^`), moving } })
      await poll()
      expect(loop.record(second).stack).toEqual({ on: first, at: more })
      expect(remote.tip(above)).toBe(moved)

      // Somebody else pushes to it: that stays, and its agent is asked, once.
      const theirs = remote.push(above, 'theirs', 'theirs\n')
      for (const file of ['again', 'and again']) {
        loop.work(first, file)
        await poll()
      }
      expect(remote.tip(above)).toBe(theirs)
      expect(loop.inTree(second, 'rev-parse', 'HEAD')).toBe(moved)
      expect(loop.told(second).filter((text) => text.includes('that has to come in first'))).toHaveLength(1)
      loop.inTree(second, 'pull', '--quiet', '--ff-only', 'origin', above)
      loop.inTree(second, 'rebase', '--quiet', '--onto', `origin/${below}`, more)
      loop.inTree(second, 'push', '--quiet', '--force-with-lease')
      await poll()
      expect(loop.record(second).stack).toMatchObject({ on: first, at: remote.tip(below) })

      // Squashed on the forge: nobody here fetches it but the loop.
      const head = remote.tip(below)
      await world.scm.mergePR!(onMain, { sha: head, method: 'squash' }, { ...world.project, path: loop.repo })
      await loop.tick()
      expect(loop.record(first).status).toBe('merged')
      await poll()
      expect(loop.record(second).baseBranch).toBe('main')
      const pulls = await world.scm.readPullRequests!([{ sessionId: 'x', branch: null, pr: onFirst }], world.project)
      expect(pulls.get('x')).toMatchObject({ kind: 'read', snapshot: { pr: { baseBranch: 'main' } } })
      expect(loop.inRepo('log', '--format=%s', `${remote.tip('main')}..${remote.tip(above)}`).split('\n')).toEqual([
        'theirs on session/my-app-2',
        'two',
      ])
      await poll()
      expect(loop.record(second).stack).toBeUndefined()
    },
  )

  it.runIf(isPlayed('github'))(
    'a group lands as a whole; where one is refused midway, the rest waits and a person is told once',
    async () => {
      const worlds = { 'my-app': await create(forge), web: await create(forge) }
      loop = await createHostedLoop(worlds)
      const sessions = [await loop.start(), await loop.start({ projectId: 'web' })]
      const pulls: Array<Awaited<ReturnType<HostedLoop['handIn']>>> = []
      for (const [at, session] of sessions.entries()) {
        loop.work(session, 'part')
        pulls.push(await loop.handIn(session))
        const mark = { id: TASK, kind: 'group', index: at + 1, of: 2 } as const
        await loop.loop.context.store(session.replace(/-\d+$/, '')).update(session, { task: mark })
      }
      const { dir } = loop.loop.context.paths.project('my-app')
      const members = sessions.map((session) => ({ project: session.replace(/-\d+$/, ''), session }))
      const common = { id: TASK, project: 'my-app', createdAt: '2026-01-01T00:00:00.000Z', owner: '' }
      await createTask(dir, { ...common, kind: 'group', request: {}, members, reserved: true })
      const round = () => landGroups(loop.loop, loop.project(), never)
      const states = () =>
        Promise.all(Object.values(worlds).map(({ scm, project }, at) => scm.getPRState(pulls[at]!, project)))
      const links = async () => {
        const written = (await forge.requests()).filter(({ method, body }) => method === 'POST' && body.includes(TASK))
        return written.map(({ body }) => pulls.map(({ url }) => body.includes(url)))
      }

      await worlds['my-app'].review(pulls[0]!.number, { state: 'approved' })
      await round()
      expect(await links()).toEqual([
        [true, true],
        [true, true],
      ])
      // Killed after the comment and before it was noted: it is found there.
      await changeTask(dir, TASK, (task) => ({ ...task!, linked: [] }))
      await round()
      expect(await links()).toHaveLength(2)
      expect(await states()).toEqual(['open', 'open'])

      await worlds.web.review(pulls[1]!.number, { state: 'approved' })
      const merge = `${worlds.web.project.repo!.split('/').at(-1)}/.*/merge$`
      await forge.faults({ match: merge, status: 403, body: { message: 'not by this account' }, times: 2 })
      await round()
      await round()
      expect(await states()).toEqual(['merged', 'open'])
      expect(readTask(dir, TASK)).toMatchObject({ stopped: expect.stringContaining('not by this account') })
      expect(loop.notifications.filter(({ type }) => type === 'landing.stopped')).toHaveLength(1)
      await round()
      expect(await states()).toEqual(['merged', 'merged'])
      await round()
      expect(readTask(dir, TASK)).toMatchObject({ settled: true })
    },
  )

  it.runIf(isPlayed('forgejo'))(
    'steps run once after each landing, whoever landed it, and never again by themselves',
    async () => {
      const world = await create(forge)
      const yaml = `landing:\n  after: [{ name: deploy, run: 'git rev-parse HEAD >> "$HOME/deployed"' }]`
      loop = await createHostedLoop({ 'my-app': world }, { yaml })
      const round = () => {
        loop.clock.pass(1_000)
        return keepAfter(loop.loop, loop.project(), never)
      }
      const deployed = () => (readIfThere(join(loop.temp.home, 'deployed')) ?? '').split('\n').filter(Boolean)
      await round()
      expect(deployed()).toEqual([])
      const session = await loop.start()
      const sha = loop.work(session, 'one')
      const pr = await loop.handIn(session)
      await world.scm.mergePR!(pr, { sha }, { ...world.project, path: loop.repo })
      const landed = world.remote.tip('main')
      await round()
      await round()
      loop.reborn()
      await round()
      expect(deployed()).toEqual([landed])
      const pushed = world.remote.push('main', 'by hand', 'x\n')
      await forge.faults({ match: '.', drop: true })
      await round()
      expect(deployed()).toEqual([landed, pushed])
    },
  )

  it('a command in a comment is taken from people who may give it, once, as they wrote it', async () => {
    const world = await create(forge)
    const issues = await tracker(forge)
    const yaml = 'triggers:\n  go: { comment: /ao go, by: [maria], prompt: Work on it, maxPerDay: 9 }'
    loop = await createHostedLoop({ 'my-app': world }, { yaml, issues })
    const started = async () => {
      await loop.loop.manager.startTriggered('my-app', 'go')
      return storedSessions(loop.loop.context, 'my-app').map(({ issueId }) => issueId)
    }
    const ids = await Promise.all(['A', 'B', 'C', 'D'].map((title) => issues.seed({ title, body: '' })))
    const [a, b, c, d] = ids as [string, string, string, string]
    expect(await started()).toEqual([])
    // Edited into a command, by an agent with the account of somebody who may, in a later line, and by nobody who may.
    await issues.comment!(a, { body: 'No.', editedTo: '/ao go' })
    await issues.comment!(b, { body: signComment('/ao go', { kind: 'agent', session: 'my-app-9' }) })
    await issues.comment!(c, { body: 'He said:\n/ao go' })
    await issues.commentByStranger!(a, '/ao go')
    await issues.commentElsewhere?.('/ao go')
    expect(await started()).toEqual([])
    await issues.comment!(d, { body: '/ao go and `be` quick' })
    expect(await started()).toEqual([d])
    expect(loop.agentLaunches[0]?.prompt).toContain('and `be` quick')
    expect(await started()).toEqual([d])
    await loop.loop.manager.kill('my-app-1')
    expect(await started()).toEqual([])
  })

  it("what the tracker says about dependencies is waited for; circles and other people's repositories are said", async () => {
    const world = await create(forge)
    const issues = await tracker(forge)
    loop = await createHostedLoop({ 'my-app': world }, { issues })
    const [one, two, three] = await Promise.all(['A', 'B', 'C'].map((title) => issues.seed({ title, body: '' })))
    await issues.block(two!, one!)
    await issues.block(one!, two!)
    const elsewhere = await issues.blockFromElsewhere!(three!)
    const waiting = await loop.start({ issueId: one! })
    expect(loop.record(waiting).blockers).toEqual([{ kind: 'issue', project: 'my-app', id: two }])
    await expect(loop.start({ issueId: two! })).rejects.toThrow(
      `This would wait for itself: #${two} needs #${one} needs #${two}`,
    )
    await expect(loop.start({ issueId: three! })).rejects.toThrow(
      `which is in ${elsewhere.split('#')[0]}, which is not a project of this configuration`,
    )
    expect(await loop.start({ issueId: three! }, { now: true })).toBe('my-app-2')
  })
})
