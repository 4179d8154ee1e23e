import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { type Notification, type Notifier, NotifierError } from '../../slots/notifier.ts'
import { deliverOutbox } from './deliver-outbox.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { notifierChoice, routeNotification } from './route-notification.ts'

let temp: TempHome
let directory: string
let now = 1_000_000
const lines: string[] = []

beforeEach(() => {
  temp = createTempHome()
  directory = join(temp.home, 'outbox')
  now = 1_000_000
  lines.length = 0
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const message = (key: string, priority: Notification['priority'] = 'info'): Notification => ({
  type: 'test',
  message: key,
  priority,
  dedupeKey: key,
})

function deliver(outbox: Outbox, notify: Notifier['notify']): Promise<number | null> {
  return deliverOutbox({
    outbox,
    notifier: async (name) => ({ name, notify }),
    now: () => now,
    say: (line) => void lines.push(line),
    health: () => undefined,
  })
}

describe('the outbox', () => {
  it('keeps a message until it is delivered, across restarts, and forgets it then', async () => {
    expect(openOutbox(directory).add(message('a'), ['x', 'y'], now)).toBe(true)
    const reopened = openOutbox(directory)
    expect(reopened.pending().map(({ notification }) => notification.message)).toEqual(['a'])
    await deliver(reopened, async () => undefined)
    expect(openOutbox(directory).pending()).toEqual([])
  })

  it('notifies once per key, also after a restart', async () => {
    const outbox = openOutbox(directory)
    outbox.add(message('a'), ['x'], now)
    expect(outbox.add(message('a'), ['x'], now + 1)).toBe(false)
    await deliver(outbox, async () => undefined)
    expect(openOutbox(directory).add(message('a'), ['x'], now + 2)).toBe(false)
    expect(openOutbox(directory).add({ type: 'test', message: 'no key' }, ['x'], now)).toBe(true)
    expect(openOutbox(directory).add({ type: 'test', message: 'no key' }, ['x'], now + 1)).toBe(true)
  })

  it('takes no room for what is for no one, and remembers that it was said', () => {
    const outbox = openOutbox(directory, 1)
    outbox.add(message('waits'), ['x'], now)
    expect(outbox.add(message('a', 'urgent'), [], now)).toBe(true)
    expect(openOutbox(directory).add(message('a', 'urgent'), [], now)).toBe(false)
    expect(
      openOutbox(directory)
        .pending()
        .map(({ notification }) => notification.message),
    ).toEqual(['waits'])
    expect(outbox.takeDropped()).toEqual([])
  })

  it('tries again with growing pauses, not before the service allows it, and only who has not got it', async () => {
    const outbox = openOutbox(directory)
    outbox.add(message('a'), ['good', 'bad'], now)
    const tried: string[] = []
    const attempt = () =>
      deliverOutbox({
        outbox,
        notifier: async (name) => ({
          name,
          async notify() {
            tried.push(name)
            if (name === 'bad') throw new NotifierError('busy', { retryAfterMs: tried.length > 2 ? 60_000 : undefined })
          },
        }),
        now: () => now,
        say: () => undefined,
        health: () => undefined,
      })
    expect(await attempt()).toBe(now + 2_000)
    expect(await attempt()).toBe(now + 2_000)
    expect(tried).toEqual(['good', 'bad'])
    now += 2_000
    expect(await attempt()).toBe(now + 60_000)
    expect(tried).toEqual(['good', 'bad', 'bad'])
  })

  it('gives up what is hopeless or a day old, and says so', async () => {
    const outbox = openOutbox(directory)
    outbox.add(message('hopeless'), ['x'], now)
    await deliver(outbox, async () => {
      throw new NotifierError('no such channel', { permanent: true })
    })
    outbox.add(message('old'), ['x'], now)
    now += 25 * 60 * 60_000
    await deliver(outbox, async () => {
      throw new Error('down')
    })
    expect(outbox.pending()).toEqual([])
    expect(lines).toEqual([expect.stringContaining('hopeless'), expect.stringContaining('old')])
  })

  it('is bounded: the oldest of the least important is evicted, and that is reported', async () => {
    const outbox = openOutbox(directory, 20)
    outbox.add(message('urgent', 'urgent'), ['x'], now)
    for (let index = 0; index < 20; index++) outbox.add(message(`info ${index}`), ['x'], now + 1 + index)
    expect(outbox.pending()).toHaveLength(20)
    expect(outbox.pending().map(({ notification }) => notification.message)).toContain('urgent')
    expect(outbox.pending().map(({ notification }) => notification.message)).not.toContain('info 0')
    await deliver(outbox, async () => undefined)
    expect(lines).toEqual([expect.stringContaining('info 0')])
    expect(readdirSync(directory)).toEqual(['told.json'])
  })

  it.each([
    'half',
    'null',
    '5',
    '[]',
    '{}',
    '{"id":"x","notification":{"message":"m"},"targets":[null]}',
    '{"id":"x","notification":null,"targets":[]}',
  ])('continues when a file in it is not a message: %s', (content) => {
    openOutbox(directory)
    writeFileSync(join(directory, `${'0'.repeat(32)}.json`), content)
    writeFileSync(join(directory, 'told.json'), 'half')
    expect(openOutbox(directory).pending()).toEqual([])
  })
})

describe('routing', () => {
  const config = {
    defaults: { runtime: 'tmux', agent: 'demo', workspace: 'worktree', notifiers: ['team', 'desktop'] },
    notifiers: { team: { plugin: 'slack', webhookUrl: 'https://example.invalid/t' }, ops: { plugin: 'slack' } },
    notificationRouting: { urgent: ['ops', 'desktop', 'ops'], info: [] },
  }

  it('goes by priority, else to the default, else to the desktop', () => {
    expect(routeNotification(config, 'urgent')).toEqual(['ops', 'desktop'])
    expect(routeNotification(config, 'warning')).toEqual(['team', 'desktop'])
    expect(routeNotification(config, 'info')).toEqual([])
    const bare = { defaults: { runtime: 'tmux', agent: 'demo', workspace: 'worktree' } }
    expect(routeNotification(bare, 'info')).toEqual(['desktop'])
  })

  it('a name may be one of several instances of a plugin, or a plugin itself', () => {
    expect(notifierChoice(config, 'team')).toEqual({ plugin: 'slack', webhookUrl: 'https://example.invalid/t' })
    expect(notifierChoice(config, 'desktop')).toBe('desktop')
    expect(notifierChoice(config, 'constructor')).toBe('constructor')
  })
})
