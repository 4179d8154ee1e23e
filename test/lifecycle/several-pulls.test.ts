// A session with several pull requests, one after the other or at once: none is forgotten, and it is over when all of them are.
import { afterEach, describe, expect, it } from 'vitest'
import type { Pull } from '../../src/contract/pull.ts'
import { recordOf } from '../../src/contract/record.ts'
import { planCleanup } from '../../src/manager/remove/cleanup.ts'
import { notePullStatus } from '../../src/store/session/note-pull-status.ts'
import { createLoopWorld, failing, type LoopWorld, snapshot } from './loop-world.ts'

let world: LoopWorld
afterEach(() => world.cleanup())

const url = (number: number) => `https://example.invalid/o/r/pull/${number}`
const ref = (number: number) => ({ url: url(number), number, branch: `feat/${number}` })
const sha = (letter: string) => letter.repeat(40)
const READY = { ci: 'passing', review: 'approved', mergeable: true } as const

/** The forge knows these of the session; the first is what the record names. */
function answers(id: string, ...pulls: Pull[]): void {
  const named = recordOf({ metadata: world.store.read(id)!.pairs }).pr
  for (const pull of pulls) {
    const key = pull.pr.url === (named ?? pulls[0]!.pr.url) ? id : `${id} ${pull.pr.url}`
    world.forge.readings.set(key, { kind: 'read', snapshot: pull })
  }
}

const record = (id: string) => world.store.read(id)!.record

/** Two of them, as the wrapper inside the session notes them. */
async function withTwo(projectYaml = ''): Promise<string> {
  world = await createLoopWorld({ projectYaml, scm: { getPRState: async ({ url: one }) => states.get(one) ?? 'open' } })
  const id = await world.spawn()
  await world.store.update(id, { pr: url(2), prs: [url(1), url(2)] })
  return id
}
const states = new Map<string, Pull['state']>()
afterEach(() => states.clear())

async function tick(id: string, ...pulls: Pull[]): Promise<void> {
  world.forge.readings.clear()
  answers(id, ...pulls)
  await world.tick()
  world.clock.pass(60_000)
}

describe('a session with several pull requests', () => {
  it('keeps all of them in its record, and its status is about the one that needs somebody first', async () => {
    const id = await withTwo()
    await tick(id, snapshot({ pr: ref(2) }), failing(['unit'], { pr: ref(1) }))
    expect(world.status(id)).toBe('ci_failed')
    expect(record(id)).toMatchObject({ pr: url(1), otherPulls: [{ url: url(2), state: 'open', ci: 'pending' }] })
    expect(record(id).prs).toBeUndefined()
    await tick(id, snapshot({ pr: ref(1) }), snapshot({ pr: ref(2), ...READY }))
    expect([world.status(id), record(id).pr]).toEqual(['mergeable', url(2)])
    expect(record(id).otherPulls).toMatchObject([{ url: url(1), ci: 'pending' }])
  })

  it('is not over while one of them is open, and is not cleaned up; then it is', async () => {
    const id = await withTwo()
    await tick(id, snapshot({ pr: ref(2), state: 'merged' }), snapshot({ pr: ref(1) }))
    states.set(url(2), 'merged')
    expect([world.status(id), record(id).pr]).toEqual(['pr_open', url(1)])
    const planned = async () =>
      (await planCleanup(world.loop.context)).map(({ action, reason }) => `${action}: ${reason}`)
    expect(await planned()).toEqual(['skip: it is still at work'])
    // Unread it stays what it was.
    world.forge.error = new Error('down')
    await world.tick()
    expect(world.status(id)).toBe('pr_open')
    world.forge.error = null
    await tick(id, snapshot({ pr: ref(1), state: 'merged' }))
    expect(world.status(id)).toBe('merged')
    expect(record(id).otherPulls).toMatchObject([{ url: url(2), state: 'merged' }])
    expect(await planned()).toEqual(['remove: its status is merged'])
  })

  it('stays open when a merge of one is noted by whoever merged it, and ends with the last', async () => {
    const id = await withTwo()
    await tick(id, snapshot({ pr: ref(1) }), snapshot({ pr: ref(2) }))
    await notePullStatus(world.store, { sessionId: id, url: url(2), status: 'merged' })
    expect(world.status(id)).toBe('pr_open')
    await notePullStatus(world.store, { sessionId: id, url: url(9), status: 'merged' })
    expect(world.status(id)).toBe('pr_open')
    await notePullStatus(world.store, { sessionId: id, url: url(1), status: 'merged' })
    expect(world.status(id)).toBe('merged')
  })

  it('begins again with another one after the first was merged', async () => {
    const id = await withTwo()
    await world.store.update(id, { pr: url(1), prs: null })
    await tick(id, snapshot({ pr: ref(1), state: 'merged' }))
    expect(world.status(id)).toBe('merged')
    await notePullStatus(world.store, { sessionId: id, url: url(2), status: 'pr_open' })
    expect(world.status(id)).toBe('pr_open')
    await tick(id, snapshot({ pr: ref(2), ...READY }))
    expect(world.status(id)).toBe('mergeable')
    expect(record(id)).toMatchObject({ pr: url(2), otherPulls: [{ url: url(1), state: 'merged' }] })
  })

  it('hears about each of them by itself, by its number, and once', async () => {
    const id = await withTwo()
    world.logs.set('unit', 'boom')
    const both = () => tick(id, failing(['unit'], { pr: ref(1) }), failing(['unit'], { pr: ref(2), headSha: sha('b') }))
    await both()
    await both()
    const sent = world.store.readHistory(id).events.flatMap((one) => (one.type === 'message.queued' ? [one.text] : []))
    const about = sent.filter((text) => text.startsWith('CI failed')).map((text) => /#\d+ at commit \w/.exec(text)?.[0])
    expect(about.sort()).toEqual(['#1 at commit a', '#2 at commit b'])
    const reactions = world.store.readHistory(id).events.flatMap((one) => (one.type === 'reaction' ? [one.pull] : []))
    expect(reactions.sort()).toEqual([url(1), url(2)])
    // A fix of one says nothing about the other.
    await tick(id, snapshot({ pr: ref(1), ci: 'passing' }), failing(['unit'], { pr: ref(2), headSha: sha('b') }))
    const memory = world.loop.reactions.read('my-app', id)
    expect(Object.keys(memory).filter((key) => key.startsWith('ci-failed'))).toEqual([`ci-failed ${url(2)}`])
  })

  it('tells a person which one is ready, and merges that one alone', async () => {
    const id = await withTwo('reactions: { approved-and-green: { auto: true, action: auto-merge } }')
    const [one, two] = [failing(['unit'], { pr: ref(1) }), snapshot({ pr: ref(2), headSha: sha('b'), ...READY })]
    await tick(id, two, one)
    expect(world.status(id)).toBe('ci_failed')
    expect(world.merged).toEqual([sha('b')])
  })

  it('reads a record of an earlier version as before', async () => {
    world = await createLoopWorld()
    const id = await world.spawn()
    const prFacts = { url: url(1), state: 'open', ci: 'failing', review: 'none', mergeable: null } as const
    await world.store.update(id, { pr: url(1), prFacts })
    expect(world.status(id)).toBe('ci_failed')
    // It names another one: what was known of the first is not taken for it.
    await world.store.update(id, { pr: url(2) })
    expect(world.status(id)).toBe('pr_open')
    await tick(id, snapshot({ pr: ref(2), ...READY }), failing(['unit'], { pr: ref(1) }))
    expect([world.status(id), record(id).pr]).toEqual(['ci_failed', url(1)])
  })
})
