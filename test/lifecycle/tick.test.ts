import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Pull } from '../../src/contract/pull.ts'
import { factsOfStatus } from '../../src/core/status/derive-status.ts'
import { readLastActivityEntry } from '../../src/inside/activity-log.ts'
import { startBacklog } from '../../src/lifecycle/loop/start-backlog.ts'
import { observeSession } from '../../src/lifecycle/tick/observe-session.ts'
import { readForge } from '../../src/lifecycle/tick/read-forge.ts'
import { settle } from '../../src/lifecycle/tick/settle.ts'
import { storedSessions } from '../../src/manager/active.ts'
import { reachSessions, scmOf } from '../../src/manager/context.ts'
import { observeSessions } from '../../src/manager/observe/observe-sessions.ts'
import { createGenericAgent } from '../../src/plugins/agent-generic/index.ts'
import { agreeToAll } from '../support/agree.ts'
import { createLoopWorld, failing, type LoopWorld, snapshot } from './loop-world.ts'

const MINUTE = 60_000
let world: LoopWorld

async function open(projectYaml = '', options: Parameters<typeof createLoopWorld>[0] = {}): Promise<string> {
  world = await createLoopWorld({ ...options, projectYaml })
  await agreeToAll(world.config, { home: world.temp.home, env: world.temp.env })
  return world.spawn()
}

function answers(id: string, pr: Pull): void {
  world.forge.readings.set(id, { kind: 'read', snapshot: pr })
}

afterEach(async () => {
  await world.cleanup()
})

describe('statuses from the forge', () => {
  it.each<[string, Partial<Pull>, string]>([
    ['S0.15 CI fails', { ci: 'failing' }, 'ci_failed'],
    ['S0.16 CI passed and review is awaited', { ci: 'passing', review: 'pending' }, 'review_pending'],
    ['S0.17 it is merged', { state: 'merged' }, 'merged'],
    ['S0.20 S0.24 a new commit is checked', { ci: 'pending' }, 'pr_open'],
    ['S0.21 S0.25 it is approved and a check still runs', { ci: 'pending', review: 'approved' }, 'approved'],
    ['S0.22 changes are requested', { ci: 'passing', review: 'changes_requested' }, 'changes_requested'],
    ['S0.26 all holds', { ci: 'passing', review: 'approved' }, 'mergeable'],
    ['S0.26 conflicts', { ci: 'passing', review: 'approved', mergeable: false, hasConflicts: true }, 'approved'],
  ])('%s', async (_what, change, expected) => {
    const id = await open()
    answers(id, snapshot(change))
    await world.tick()
    expect(world.status(id)).toBe(expected)
    const last = world.store.readHistory(id).events.findLast((one) => one.type === 'status.changed')
    expect(last).toMatchObject({ to: expected, evidence: [expect.stringContaining('pull request')] })
  })

  it('S0.29 a merged pull request completes the session', async () => {
    const id = await open()
    answers(id, snapshot({ ci: 'passing', review: 'approved' }))
    await world.tick()
    answers(id, snapshot({ state: 'merged' }))
    await world.tick()
    expect(world.status(id)).toBe('merged')
  })

  it('locks no record that it has nothing to write into', async () => {
    const id = await open()
    answers(id, snapshot({ ci: 'passing', review: 'pending' }))
    await world.tick()
    await world.tick()
    const locked = vi.spyOn(world.loop.context.store('my-app'), 'update')
    for (let round = 0; round < 3; round++) await world.tick()
    expect(locked).not.toHaveBeenCalled()
    answers(id, snapshot({ ci: 'failing', review: 'pending' }))
    await world.tick()
    expect(locked).toHaveBeenCalled()
  })

  it('keeps statuses and kills nothing while the forge is down, and continues when it is back', async () => {
    const id = await open()
    answers(id, snapshot({ ci: 'passing', review: 'pending' }))
    await world.tick()
    world.forge.error = new Error('502')
    for (let round = 0; round < 5; round++) await world.tick()
    expect(world.status(id)).toBe('review_pending')
    expect(world.health.get('forge of my-app')).toBe('error')
    world.forge.error = null
    world.forge.readings.set(id, { kind: 'unknown', why: 'partial answer' })
    await world.tick()
    expect(world.status(id)).toBe('review_pending')
    answers(id, snapshot({ ci: 'passing', review: 'approved' }))
    await world.tick()
    expect(world.status(id)).toBe('mergeable')
  })

  it('finds the pull request of a branch that the agent renamed', async () => {
    const requests: Array<string | null> = []
    const id = await open('', {
      scm: {
        async readPullRequests(queries) {
          requests.push(...queries.map(({ branch }) => branch))
          return new Map(queries.map(({ sessionId }) => [sessionId, { kind: 'none' as const }]))
        },
      },
    })
    const workspace = world.store.read(id)!.pairs.worktree!
    mkdirSync(join(workspace, '.git', 'objects'), { recursive: true })
    mkdirSync(join(workspace, '.git', 'refs'))
    writeFileSync(join(workspace, '.git', 'HEAD'), 'ref: refs/heads/feat/better-name\n')
    await world.tick()
    expect(requests).toEqual(['feat/better-name'])
  })
})

describe('the end of an agent', () => {
  it('S0.31 needs two proofs: one look that says dead and one that says alive keep the status', async () => {
    const id = await open()
    await world.tick()
    const handle = JSON.parse(world.store.read(id)!.pairs.runtimeHandle!) as { id: string }
    let probes = 0
    Object.defineProperty(world.alive, 'get', { value: () => probes++ > 0 })
    await world.tick()
    expect(handle.id).not.toBe('')
    expect(probes).toBe(2)
    expect(world.status(id)).toBe('working')
  })

  it('S0.31 sets killed when both probes say so, and notifies the human once', async () => {
    const id = await open()
    await world.tick()
    for (const name of world.alive.keys()) world.alive.set(name, false)
    await world.tick()
    await world.tick()
    expect(world.status(id)).toBe('killed')
    expect(world.notifications.map(({ type }) => type).filter((type) => type === 'session.exited')).toHaveLength(1)
  })

  it('notifies the human once of a crash, however many agents it ended, and again of the next one', async () => {
    const ids = [await open(), await world.spawn(), await world.spawn()]
    await world.tick()
    const crash = async () => {
      for (const name of world.alive.keys()) world.alive.set(name, false)
      await world.tick()
      await world.tick()
    }
    await crash()
    const exited = () => world.notifications.filter(({ type }) => type === 'session.exited')
    expect(ids.map((id) => world.status(id))).toEqual(['killed', 'killed', 'killed'])
    expect(exited()).toMatchObject([{ priority: 'urgent', message: expect.stringContaining(ids.join(', ')) }])
    for (const id of ids) await world.store.update(id, { launched: 'yes', endedAs: null, launch: 2 })
    for (const name of world.alive.keys()) world.alive.set(name, true)
    await world.tick()
    await crash()
    expect(exited()).toHaveLength(2)
  })

  it('S0.31 a probe that fails keeps the status', async () => {
    const id = await open()
    await world.tick()
    for (const name of world.alive.keys()) world.alive.set(name, new Error('tmux hangs'))
    await world.tick()
    expect(world.status(id)).toBe('working')
    expect(world.health.get('fake')).toBe('warn')
  })

  it('notifies once that all is complete, with a summary, and not again after a cleanup', async () => {
    const id = await open()
    const other = await world.spawn()
    answers(id, snapshot({ state: 'merged' }))
    await world.tick()
    expect(world.notifications).toEqual([])
    answers(other, snapshot({ state: 'merged', pr: { url: 'https://example.invalid/pull/2', number: 2 } }))
    await world.tick()
    await world.tick()
    await world.store.archive(id)
    await world.tick()
    const told = world.notifications.filter(({ type }) => type === 'summary.all_complete')
    expect(told).toHaveLength(1)
    expect(told[0]!.message).toContain(`2 merged (${id}, ${other})`)
  })
})

describe('messages to the agent', () => {
  it('S0.18 sends the failing checks with the end of their logs, once per failure', async () => {
    const id = await open()
    world.logs.set('test', 'expected 1 but got 2')
    answers(id, failing(['test']))
    await world.tick()
    await world.tick()
    world.reborn()
    await world.tick()
    expect(world.sent).toHaveLength(1)
    expect(world.sent[0]!.text).toContain('### test')
    expect(world.sent[0]!.text).toContain('expected 1 but got 2')
    answers(id, failing(['test'], { headSha: 'b'.repeat(40) }))
    await world.tick()
    expect(world.sent).toHaveLength(2)
  })

  it('reports every failing check of a commit once, with its log, though they fail one after the other', async () => {
    const id = await open('reactions: { ci-failed: { retries: 9 } }')
    world.logs.set('unit tests', 'unit: boom').set('lint', 'lint: semicolon')
    const told = () => world.sent.map(({ text }) => [/unit: boom/.test(text), /lint: semicolon/.test(text)])
    answers(id, failing(['unit tests']))
    await world.tick()
    answers(id, failing(['unit tests', 'lint']))
    await world.tick()
    for (const names of [['lint'], ['unit tests'], ['lint', 'unit tests']]) {
      answers(id, failing(names))
      await world.tick()
    }
    expect(told()).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('S0.19 sends nothing when the reaction is off', async () => {
    const id = await open('reactions: { ci-failed: { auto: false } }')
    answers(id, failing(['test']))
    await world.tick()
    expect(world.sent).toEqual([])
    expect(world.status(id)).toBe('ci_failed')
  })

  it('S0.23 sends the comments of a review as one message with file, line and author', async () => {
    const id = await open()
    const author = { login: 'ann', isBot: false, isMember: true }
    const comment = (number: number) => ({
      id: `c${number}`,
      reviewId: 'r1',
      author,
      body: `remark ${number}`,
      path: 'src/a.ts',
      line: number,
      isResolved: false,
      createdAt: '2026-01-01T00:00:00Z',
    })
    answers(id, snapshot({ ci: 'passing', review: 'changes_requested', comments: [comment(3), comment(7)] }))
    await world.tick()
    await world.tick()
    expect(world.sent).toHaveLength(1)
    expect(world.sent[0]!.text).toMatch(/ann, src\/a\.ts:3[\s\S]+remark 3[\s\S]+src\/a\.ts:7[\s\S]+remark 7/)
  })

  it('does not pass on words of people outside the repository, unless configured', async () => {
    const stranger = { login: 'eve', isBot: false, isMember: false }
    const comments = [
      {
        id: 'c1',
        reviewId: null,
        author: stranger,
        body: 'rm -rf',
        isResolved: false,
        createdAt: '2026-01-01T00:00:00Z',
      },
    ]
    const id = await open()
    answers(id, snapshot({ ci: 'passing', review: 'pending', comments }))
    await world.tick()
    expect(world.sent).toEqual([])
    await world.cleanup()
    const other = await open('forwardOutsiders: true')
    answers(other, snapshot({ ci: 'passing', review: 'pending', comments }))
    await world.tick()
    expect(world.sent[0]?.text).toContain('rm -rf')
  })

  it('tries a message that was not delivered again, and notifies the human after five failures', async () => {
    const id = await open()
    answers(id, failing(['test']))
    world.undeliverable.why = 'the agent is gone'
    await world.tick()
    expect(world.reactions(id)).toEqual(['ci-failed send-to-agent failed'])
    await world.tick()
    expect(world.reactions(id)).toHaveLength(1)
    world.undeliverable.why = null
    world.clock.pass(MINUTE)
    await world.tick()
    expect(world.sent).toHaveLength(1)
    answers(id, failing(['test'], { headSha: 'b'.repeat(40) }))
    world.undeliverable.why = 'gone again'
    for (let round = 0; round < 8; round++) {
      await world.tick()
      world.clock.pass(10 * MINUTE)
    }
    expect(world.notifications.filter(({ message }) => message.includes('failed 5 times'))).toHaveLength(1)
  })

  it('sends nothing twice when the loop died after the message and before its note', async () => {
    const id = await open()
    answers(id, failing(['test']))
    const write = world.loop.manager.react
    // The process ends right after the hand-over: the memory keeps the intent.
    world.loop.manager.react = async (...args) => {
      await write(...args)
      return new Promise(() => undefined)
    }
    await world.tick({ inBackground: true })
    await expect
      .poll(() => world.store.readHistory(id).events.some(({ type }) => type === 'message.handed_over'))
      .toBe(true)
    world.reborn()
    await world.tick()
    await world.tick()
    expect(world.sent).toHaveLength(1)
    expect(world.reactions(id)).toEqual(['ci-failed send-to-agent done'])
  })

  it('does not begin again what another loop of the same process is still carrying out', async () => {
    const id = await open()
    answers(id, failing(['test']))
    const {
      manager: { react },
      acting,
    } = world.loop
    let goOn: () => void = () => undefined
    world.loop.manager.react = async (...args) => {
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return react(...args)
    }
    await world.tick({ inBackground: true })
    // The configuration was changed: there is a new loop, and the old one has a message in flight.
    world.reborn()
    world.loop.acting = acting
    world.clock.pass(5 * MINUTE)
    await world.tick({ inBackground: true })
    goOn()
    await acting.get(id)
    await world.tick()
    expect(world.sent).toHaveLength(1)
  })

  it('does not begin again what ends between the reading of its memory and the decision', async () => {
    const id = await open()
    answers(id, failing(['test']))
    const { react } = world.loop.manager
    const ended = Promise.withResolvers<void>()
    world.loop.manager.react = (...args) => ended.promise.then(() => react(...args))
    await world.tick({ inBackground: true })
    const { loop } = world
    const project = world.config.projects['my-app']!
    const stored = storedSessions(loop.context, project.id)
    const [observed] = await observeSessions(loop.context, await reachSessions(loop.context, stored))
    const forge = await readForge(loop, project, scmOf(loop.context, project), stored)
    const late = await observeSession(loop, project, observed!, { forge, now: loop.context.clock.now().getTime() })
    ended.resolve()
    await loop.acting.get(id)
    await settle(loop, project, { ...late, overBudget: null, fallback: null, lostTogether: [], isPaused: false }, [])
    await loop.acting.get(id)
    expect([world.sent.length, world.reactions(id)]).toEqual([1, ['ci-failed send-to-agent done']])
    // And nothing of it was forgotten.
    await world.tick()
    expect(world.sent).toHaveLength(1)
  })

  it('does what was intended when the loop died before doing it, also for a session that has ended', async () => {
    const id = await open()
    await world.tick()
    for (const name of world.alive.keys()) world.alive.set(name, false)
    const { notify } = world.loop
    world.loop.notify = (one) => (one.type === 'session.exited' ? new Promise(() => undefined) : notify(one))
    await world.tick({ inBackground: true })
    expect(world.status(id)).toBe('killed')
    expect(world.notifications.map(({ type }) => type)).not.toContain('session.exited')
    world.reborn()
    await world.tick()
    expect(world.notifications.map(({ type }) => type)).toContain('session.exited')
  })

  it('reports a failure that several sessions share to the human once, and to no agent', async () => {
    const id = await open()
    const other = await world.spawn()
    world.logs.set('test', 'the registry answered 503 at 12:00:01')
    answers(id, failing(['test']))
    answers(
      other,
      failing(['test'], { pr: { url: 'https://example.invalid/pull/2', number: 2 }, headSha: 'b'.repeat(40) }),
    )
    await world.tick()
    await world.tick()
    expect(world.sent).toEqual([])
    const told = world.notifications.filter(({ type }) => type === 'ci.shared_failure')
    expect(told).toHaveLength(1)
    expect(told[0]!.message).toContain(`${id}, ${other}`)
  })

  it('reports a failure of the base branch to the human once, and not to the agent', async () => {
    const id = await open()
    answers(id, failing(['lint'], { failingOnBase: ['lint'] }))
    await world.tick()
    await world.tick()
    expect(world.sent).toEqual([])
    expect(world.notifications.map(({ type }) => type)).toEqual(['ci.shared_failure'])
  })

  it('merge-conflicts sends how to resolve them', async () => {
    const id = await open()
    answers(id, snapshot({ ci: 'passing', hasConflicts: true, mergeable: false }))
    await world.tick()
    expect(world.sent[0]?.text).toContain('conflicts with main')
  })

  it('pr-closed notifies the person once, and the session stays alive and follows a reopened one', async () => {
    const id = await open()
    answers(id, snapshot({ state: 'closed' }))
    await world.tick()
    await world.tick()
    expect(world.status(id)).toBe('working')
    expect(world.notifications.map(({ type }) => type)).toEqual(['pr.closed'])
    answers(id, snapshot())
    await world.tick()
    expect(world.status(id)).toBe('pr_open')
  })
})

describe('merging', () => {
  const ready = () => snapshot({ ci: 'passing', review: 'approved' })

  it('S0.27 with auto: false the human is notified and nothing is merged', async () => {
    const id = await open()
    answers(id, ready())
    await world.tick()
    await world.tick()
    expect(world.merged).toEqual([])
    expect(world.notifications.map(({ type }) => type)).toEqual(['merge.ready'])
  })

  it('S0.28 switching it on merges what a person was only notified of, also after a restart', async () => {
    const id = await open()
    answers(id, ready())
    await world.tick()
    expect(world.merged).toEqual([])
    world.config.projects['my-app']!.reactions = { 'approved-and-green': { auto: true } }
    world.reborn()
    await world.tick()
    await world.tick()
    expect(world.merged).toEqual(['a'.repeat(40)])
    expect(world.reactions(id)).toContain('approved-and-green auto-merge done')
  })

  it('S0.28 with auto: true exactly the approved commit is merged, once', async () => {
    const id = await open('reactions: { approved-and-green: { auto: true } }')
    answers(id, ready())
    await world.tick()
    await world.tick()
    expect(world.merged).toEqual(['a'.repeat(40)])
    expect(world.reactions(id)).toEqual(['approved-and-green auto-merge done'])
  })
})

describe('an agent that waits or is silent', () => {
  const waiting = () => ({
    state: 'waiting_input' as const,
    timestamp: new Date('2026-01-01T00:00:00Z'),
    evidence: 'asks',
  })
  /** It has done nothing since it was started, for longer than the threshold. */
  const idle = () => {
    const timestamp = world.clock.now()
    world.clock.pass(300_001)
    return { state: 'idle' as const, timestamp }
  }

  it('S0.36 S3.28 a question puts it in needs_input and notifies the human once', async () => {
    const id = await open()
    world.activity.current = waiting()
    await world.tick()
    await world.tick()
    expect(world.status(id)).toBe('needs_input')
    expect(world.notifications).toMatchObject([{ type: 'session.needs_input', sessionId: id, priority: 'urgent' }])
  })

  it('does not repeat itself for a reading without a time', async () => {
    await open()
    world.activity.current = { state: 'waiting_input' }
    for (let round = 0; round < 3; round++) {
      await world.tick()
      world.clock.pass(MINUTE)
    }
    expect(world.notifications).toHaveLength(1)
  })

  it('S0.37 goes back to working when the agent works again', async () => {
    const id = await open()
    world.activity.current = waiting()
    await world.tick()
    world.activity.current = { state: 'active', timestamp: new Date() }
    await world.tick()
    expect(world.status(id)).toBe('working')
  })

  it('S0.38 S0.41 becomes stuck and the human is notified', async () => {
    const id = await open()
    world.activity.current = idle()
    await world.tick()
    expect(world.status(id)).toBe('stuck')
    expect(world.notifications.map(({ type }) => type)).toEqual(['session.stuck'])
  })

  it('S0.39 is not stuck while CI, review or merge is awaited', async () => {
    const id = await open()
    world.activity.current = idle()
    answers(id, snapshot({ ci: 'passing', review: 'pending' }))
    await world.tick()
    expect(world.status(id)).toBe('review_pending')
  })

  it('S0.40 can be nudged', async () => {
    await open('reactions: { agent-stuck: { action: send-to-agent, message: Go on. } }')
    world.activity.current = idle()
    await world.tick()
    await world.tick()
    expect(world.sent.map(({ text }) => text)).toEqual(['Go on.'])
  })

  it.each([
    ['S0.40', 'send-to-agent', 'message: Go on., '],
    ['S0.42', 'restart-agent', ''],
  ])(
    '%s %s ends without progress and calls a person once, also over restarts of the loop',
    async (_id, action, more) => {
      const id = await open(`reactions: { agent-stuck: { action: ${action}, ${more}retries: 2 } }`)
      const acts = () => world.reactions(id).map((one) => one.split(' ')[1])
      const fallSilent = async (times: number) => {
        for (let round = 0; round < times; round++) {
          world.activity.current = { state: 'active', timestamp: world.clock.now() }
          await world.tick()
          const at = world.clock.now()
          world.clock.pass(10 * MINUTE)
          world.activity.current = { state: 'idle', timestamp: at }
          await world.tick()
          world.reborn()
        }
      }
      await fallSilent(6)
      expect(acts()).toEqual([action, action, 'escalate'])
      expect(world.notifications.map(({ type, priority }) => `${type} ${priority}`)).toEqual(['session.stuck urgent'])
      answers(id, failing(['unit'], { headSha: 'b'.repeat(40) }))
      await fallSilent(6)
      expect(acts().filter((act) => act === action)).toHaveLength(action === 'send-to-agent' ? 5 : 4)
      expect(world.notifications.filter(({ type }) => type === 'session.stuck')).toHaveLength(2)
    },
  )

  it('S0.42 can be restarted', async () => {
    const id = await open('reactions: { agent-stuck: { action: restart-agent } }')
    world.activity.current = idle()
    await world.tick()
    await world.tick()
    expect(world.restarted).toEqual([id])
  })

  it('S1.69 notes on every poll what the screen of an agent without records shows', async () => {
    const noted: string[] = []
    await open('', {
      agent: {
        activitySource: 'screen',
        recordActivity: async (_session, text) => void noted.push(text),
      },
    })
    await world.tick({ readScreens: true })
    await world.tick({ readScreens: false })
    await world.tick({ readScreens: true })
    expect(noted).toEqual(['ready', 'ready'])
  })
})

describe('the prompt of a start', () => {
  it('is called delivered as soon as the agent’s own records show it', async () => {
    let shown = false
    const id = await open('', { agent: { hasSeen: async () => shown } })
    const delivered = () => world.store.read(id)?.pairs.promptDelivered
    await world.tick()
    expect(delivered()).toBe('unconfirmed')
    shown = true
    await world.tick()
    expect(delivered()).toBe('yes')
  })
})

describe('an agent that keeps no records', () => {
  it('S0.36 S0.37 asks one question: one notification, however often it is observed; the next question is another', async () => {
    const { getActivityState, detectActivity, recordActivity } = createGenericAgent({ command: ['cat'] })
    const id = await open('', {
      agent: { activitySource: 'screen', getActivityState, detectActivity, recordActivity: recordActivity! },
    })
    const requestsMade = () => world.notifications.filter(({ type }) => type === 'session.needs_input').length
    const show = async (screen: string, rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        world.screen.current = `${round} s\n${screen}`
        await world.tick({ readScreens: round % 2 === 1, askForge: false })
        world.clock.pass(15_000)
        if (round % 4 === 0) world.reborn()
      }
    }
    await show('Do you want to continue? [y/N]', 20)
    expect([world.status(id), requestsMade()]).toEqual(['needs_input', 1])
    await world.loop.manager.deliver(id, 'y')
    expect(world.status(id)).toBe('working')
    await show('Do you want to continue? [y/N] y\ngot y', 4)
    expect([world.status(id), requestsMade()]).toEqual(['working', 1])
    await show('Do you want to continue? [y/N] y\ngot y\nDo you want to continue? [y/N]', 10)
    expect([world.status(id), requestsMade()]).toEqual(['needs_input', 2])
  })

  it('S1.71 S0.38 is stuck when its screen does not change for longer than the threshold', async () => {
    const { getActivityState, recordActivity } = createGenericAgent({ command: ['cat'] })
    const id = await open('', {
      agent: { activitySource: 'screen', getActivityState, recordActivity: recordActivity! },
    })
    for (let minute = 0; minute < 4; minute++) {
      await world.tick({ readScreens: true })
      world.clock.pass(MINUTE)
    }
    expect(world.status(id)).toBe('working')
    expect(readLastActivityEntry(world.store.read(id)!.pairs.worktree!)).toMatchObject({ source: 'terminal' })
    for (let minute = 0; minute < 4; minute++) {
      await world.tick({ readScreens: true })
      world.clock.pass(MINUTE)
    }
    expect(world.status(id)).toBe('stuck')
  })
})

describe('the backlog', () => {
  const issues = ['1', '2', '3', '4'].map((id) => ({
    id,
    title: `Issue ${id}`,
    description: '',
    url: `https://example.invalid/${id}`,
    state: 'open' as const,
    labels: ['ready'],
  }))
  const tracker = {
    listIssues: async ({ labels }: { labels?: string[] }) => (labels?.includes('ready') ? issues : []),
  }

  it('starts labelled issues while fewer sessions run than allowed, each once', async () => {
    world = await createLoopWorld({ projectYaml: 'backlog: { label: ready, maxSessions: 2 }', tracker })
    for (const { id } of issues) world.issues.set(id, {})
    const project = world.config.projects['my-app']!
    await startBacklog(world.loop, project)
    await startBacklog(world.loop, project)
    expect(world.store.list().map((id) => world.store.read(id)!.pairs.issue)).toEqual(['1', '2'])
    const [first] = world.store.list()
    await world.store.update(first!, factsOfStatus('killed'))
    await startBacklog(world.loop, project)
    expect(world.store.list().map((id) => world.store.read(id)!.pairs.issue)).toEqual(['1', '2', '3'])
  })

  it('an issue that cannot be started does not keep the others waiting, and has another chance later', async () => {
    world = await createLoopWorld({ projectYaml: 'backlog: { label: ready, maxSessions: 9 }', tracker })
    const project = world.config.projects['my-app']!
    const tried: string[] = []
    const { spawn } = world.loop.manager
    for (const { id } of issues) world.issues.set(id, {})
    world.loop.manager.spawn = async (task, how) => {
      tried.push(task.issueId ?? '')
      if (task.issueId === '1') throw new Error('its branch is taken')
      return spawn(task, how)
    }
    for (let round = 0; round < 3; round++) await startBacklog(world.loop, project)
    expect(tried).toEqual(issues.map(({ id }) => id))
    world.clock.pass(11 * MINUTE)
    await startBacklog(world.loop, project)
    expect(tried.at(-1)).toBe('1')
  })

  it('waits for the reviewer and says so, and never keeps a person from starting something', async () => {
    const projectYaml = 'backlog: { label: ready, maxSessions: 9 }\nreview: { capacity: 1 }'
    world = await createLoopWorld({ projectYaml, tracker })
    for (const { id } of issues) world.issues.set(id, {})
    const project = world.config.projects['my-app']!
    const reported: Array<string | undefined> = []
    world.loop.health = (_surface, _status, reason) => void reported.push(reason)
    const first = await world.spawn()
    answers(first, snapshot({ ci: 'passing', review: 'pending' }))
    await world.tick()
    await startBacklog(world.loop, project)
    expect(world.store.list()).toEqual([first])
    expect(reported.at(-1)).toContain('wait for reviews: 1 open pull request waits for a review')
    const own = await world.spawn()
    await world.store.update(first, factsOfStatus('merged'))
    await world.store.update(own, factsOfStatus('merged'))
    await startBacklog(world.loop, project)
    // One, and one more while nothing waits for the person.
    expect(world.store.list()).toHaveLength(4)
    expect(reported.at(-1)).toContain('2 changes are under way, and 1 is the limit')
  })

  it('is off unless configured', async () => {
    world = await createLoopWorld({ tracker })
    await startBacklog(world.loop, world.config.projects['my-app']!)
    expect(world.store.list()).toEqual([])
  })
})

describe('one tick', () => {
  it('continues when one session makes trouble', async () => {
    const id = await open()
    const other = await world.spawn()
    mkdirSync(join(world.paths.stateDir(id), 'reactions.json'), { recursive: true })
    answers(other, snapshot({ ci: 'passing', review: 'pending' }))
    await world.tick()
    expect(world.status(other)).toBe('review_pending')
  })

  it('leaves no event for a change that another command overtook', async () => {
    const id = await open()
    await world.tick()
    const before = world.store.readHistory(id).events.length
    const store = world.loop.context.store('my-app')
    const update = store.update
    Object.assign(store, {
      update: async (...args: Parameters<typeof update>) => {
        await world.store.update(id, { operation: 'kill', operationOwner: 'x' })
        return update(...args)
      },
    })
    answers(id, snapshot({ ci: 'passing', review: 'pending' }))
    await world.tick()
    expect(world.store.readHistory(id).events.slice(before)).toEqual([])
    expect(world.store.read(id)!.pairs.status).toBe('working')
  })

  it('looks only at the sessions that are named', async () => {
    const id = await open()
    const other = await world.spawn()
    world.activity.current = { state: 'waiting_input' }
    await world.tick({ only: new Set([other]), askForge: false })
    expect([world.status(id), world.status(other)]).toEqual(['working', 'needs_input'])
  })
})
