// What the loop writes down of a day: enough to decide it again, and nobody's words.
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { RadarPicture } from '../../src/contract/dashboard/radar.ts'
import type { Pull } from '../../src/contract/pull.ts'
import type { Collision } from '../../src/core/radar/collisions.ts'
import { createEncoder } from '../../src/lifecycle/cassette/encode-rounds.ts'
import { keepCassette } from '../../src/lifecycle/cassette/keep-cassette.ts'
import { createMask } from '../../src/lifecycle/cassette/mask.ts'
import type { Seen } from '../../src/lifecycle/loop/loop-context.ts'
import { keepLimits } from '../../src/manager/remove/keep-limits.ts'
import { parseCassette, readCassette } from '../../src/rehearsal/read-cassette.ts'
import { replay } from '../../src/rehearsal/replay.ts'
import { agreeToAll } from '../support/agree.ts'
import { createLoopWorld, type LoopWorld, snapshot } from './loop-world.ts'

const CANARY = 'ghp_CANARYcanaryCANARYcanaryCANARY0123456789'
const MINUTE = 60_000
let world: LoopWorld

afterEach(async () => {
  await world.cleanup()
})

async function open(options: Parameters<typeof createLoopWorld>[0] = {}): Promise<string> {
  world = await createLoopWorld(options)
  await agreeToAll(world.config, { home: world.temp.home, env: world.temp.env })
  return world.spawn()
}

const directory = () => join(world.loop.context.paths.project('my-app').dir, 'cassettes')
const dayFile = () => join(directory(), readdirSync(directory())[0]!)
const answers = (id: string, pr: Pull) => world.forge.readings.set(id, { kind: 'read', snapshot: pr })

/** A secret wherever a text of somebody else can be. */
function poisoned(): Pull {
  const author = { login: CANARY, isBot: false, isMember: true }
  const comment = { id: CANARY, reviewId: null, author, body: CANARY, path: CANARY, isResolved: false, createdAt: '' }
  const { pr } = snapshot({})
  return snapshot({
    ci: 'failing',
    review: 'changes_requested',
    headSha: CANARY,
    checks: [
      { id: CANARY, name: CANARY, status: 'failed', url: `https://x:${CANARY}@ci.invalid/?t=${CANARY}`, note: CANARY },
    ],
    comments: [comment],
    reviews: [{ id: CANARY, author, state: 'changes_requested', body: CANARY, commit: null, submittedAt: '' }],
    labels: [CANARY],
    body: CANARY,
    pr: {
      ...pr,
      title: CANARY,
      branch: CANARY,
      baseBranch: CANARY,
      url: `https://x:${CANARY}@forge.invalid/o/${CANARY}/pull/7`,
    },
  })
}

describe('the cassette of a day', () => {
  it('holds no word of anybody, whatever a secret was put into, and replays with equal decisions', async () => {
    let asks = false
    const id = await open({
      agent: {
        getActivityState: async () => ({
          state: asks ? 'waiting_input' : 'active',
          timestamp: world.clock.now(),
          evidence: CANARY,
        }),
        getSessionInfo: async () => ({
          ...{ summary: CANARY, agentSessionId: CANARY, model: CANARY, lastMessage: CANARY, blockedBy: CANARY },
          cost: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCostUsd: 0.5 },
        }),
      },
    })
    await world.store.update(id, { userPrompt: CANARY, issueTitle: CANARY, others: { CANARY, plugin: CANARY } })
    Object.assign(world.loop.context.env, { GITHUB_TOKEN: CANARY })
    const cassette = keepCassette(world.loop)
    world.logs.set(CANARY, `Authorization: Bearer ${CANARY}`)
    await world.tick()
    answers(id, poisoned())
    for (let round = 0; round < 4; round++) {
      world.clock.pass(MINUTE)
      asks = round === 2
      await world.tick()
    }
    world.forge.error = new Error(`401 with ${CANARY}`)
    await world.tick()
    cassette.close()
    const text = readFileSync(dayFile(), 'utf8')
    expect(text.toLowerCase()).not.toContain('canary')
    expect([...text.matchAll(/[a-f0-9]{20,}/g)]).toEqual([])
    expect(statSync(dayFile()).mode & 0o777).toBe(0o600)
    expect(statSync(directory()).mode & 0o777).toBe(0o700)
    const { config, paths } = world.loop.context
    const project = config.projects['my-app']!
    const result = await replay({ config, project, paths, lines: readCassette(dayFile()) })
    expect([result.differences, result.replayed]).toEqual([[], result.recorded])
    expect(result.recorded.messages).toEqual({ 'ci-failed': 1, 'changes-requested': 1 })
  })

  it('masks nothing of a round in which nothing has changed', async () => {
    const id = await open()
    answers(id, snapshot({}))
    const seen: Seen[] = []
    world.loop.seen = seen
    await world.tick()
    await world.tick()
    await world.tick({ askForge: false })
    const rounds = seen.filter(({ kind }) => kind === 'round')
    let hidden = 0
    const hide = createMask()
    const counting = (word: string) => {
      hidden += 1
      return hide(word)
    }
    const mask = Object.assign(counting, { ...hide })
    const encoder = createEncoder(world.loop, world.config.projects['my-app']!, mask)
    for (const one of rounds) encoder.encode(one)
    expect(hidden).toBeGreaterThan(0)
    hidden = 0
    const lines = encoder.encode(rounds.at(-1)!)
    expect(lines.map((line) => JSON.parse(line).s)).toEqual([{}])
    expect(hidden).toBe(0)
  })

  it('continues after a crash that cut off its last line, and the day replays', async () => {
    const id = await open()
    keepCassette(world.loop).close()
    const first = keepCassette(world.loop)
    await world.tick()
    first.close()
    appendFileSync(dayFile(), '{"k":"round","t":1')
    expect(() => readCassette(dayFile())).toThrow(/line 3 is cut off/)
    world.reborn()
    answers(id, snapshot({ ci: 'failing', checks: [{ id: 't', name: 'test', status: 'failed' }] }))
    const second = keepCassette(world.loop)
    world.clock.pass(MINUTE)
    await world.tick()
    second.close()
    const lines = readCassette(dayFile())
    // An act ends before or after the line of its round.
    expect(lines.map(({ k }) => k).sort()).toEqual(['acted', 'round', 'round', 'start', 'start'])
    const { config, paths } = world.loop.context
    const result = await replay({ config, project: config.projects['my-app']!, paths, lines })
    expect([result.differences, result.recorded.messages]).toEqual([[], { 'ci-failed': 1 }])
  })

  it('has what fails together with another session, masked, and replays each warning once', async () => {
    const id = await open()
    const other = { id: 'my-app-9', title: CANARY, branch: CANARY, sessionId: 'my-app-9', pull: null, commits: 1 }
    const fails = (test: string) => {
      const red = { check: `gate: ${CANARY}!`, test, log: CANARY, commit: CANARY }
      const collisions = new Map([[id, [{ other, stage: '', files: [], red } as unknown as Collision]]])
      world.loop.radar.set('my-app', { picture: {} as RadarPicture, collisions })
    }
    fails(CANARY)
    // The second one begins with a memory of the warning, and then another test fails.
    for (const test of [CANARY, `${CANARY} 2`]) {
      const cassette = keepCassette(world.loop)
      await world.tick()
      world.clock.pass(MINUTE)
      fails(test)
      await world.tick()
      cassette.close()
    }
    expect(readFileSync(dayFile(), 'utf8').toLowerCase()).not.toContain('canary')
    const { config, paths } = world.loop.context
    const lines = readCassette(dayFile())
    const result = await replay({ config, project: config.projects['my-app']!, paths, lines })
    expect([result.differences, result.recorded.messages]).toEqual([[], { collision: 2 }])
    expect(result.replayed).toEqual(result.recorded)
  })

  it('stays in order when the clock is set back, and the day replays', async () => {
    await open()
    world.clock.pass(10 * MINUTE)
    const now = world.clock.now().getTime()
    for (const _ of ['a start of the loop', 'another']) {
      const cassette = keepCassette(world.loop)
      await world.tick()
      world.clock.pass(-MINUTE)
      await world.tick()
      cassette.close()
    }
    const later = now - MINUTE
    const lines = readCassette(dayFile())
    expect(lines.map(({ t }) => t)).toEqual([now, now, now, later, later, later])
    const { config, paths } = world.loop.context
    const result = await replay({ config, project: config.projects['my-app']!, paths, lines })
    expect(result.differences).toEqual([])
  })

  it('ends for the day when the day is as large as one may be, and the loop goes on', async () => {
    await open()
    const cassette = keepCassette(world.loop, { mostDayBytes: 200 })
    await world.tick()
    await world.tick()
    cassette.close()
    expect(statSync(dayFile()).size).toBeLessThanOrEqual(200)
    expect(world.health.get('the cassette of my-app')).toBe('warn')
  })

  it('is not written where disk.cassettesMb is 0, and goes when it is old', async () => {
    await open({ yaml: 'defaults: { runtime: fake, agent: fake, workspace: fake }\ndisk: { cassettesMb: 0 }' })
    keepCassette(world.loop).close()
    expect(world.loop.seen).toBeUndefined()
    await world.cleanup()
    await open()
    const cassette = keepCassette(world.loop)
    await world.tick()
    cassette.close()
    writeFileSync(join(directory(), '2025-11-01.jsonl'), 'old')
    writeFileSync(join(directory(), 'mine.jsonl'), 'not a day')
    const { dropped } = await keepLimits(world.loop.context)
    expect(dropped).toMatchObject([{ what: 'cassette', session: 'my-app on 2025-11-01', bytes: 3 }])
    expect(readdirSync(directory()).sort()).toEqual(['2026-01-01.jsonl', 'mine.jsonl'])
    expect(parseCassette(readFileSync(dayFile(), 'utf8'), 'x')).toHaveLength(2)
  })
})
