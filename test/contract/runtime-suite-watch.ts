// A long-lived process is notified when agents end, without polling.
import { afterEach, expect, it } from 'vitest'
import type { RuntimeWatch } from '../../src/slots/runtime.ts'
import { waitFor } from '../support/wait-for.ts'
import { processesOf, type RuntimeWorld } from './runtime-world.ts'

export function testWatch(world: RuntimeWorld): void {
  let watch: RuntimeWatch | null = null
  let told: string[] = []
  afterEach(() => {
    watch?.close()
    watch = null
  })

  function begin(): RuntimeWatch {
    told = []
    watch = world.runtime.watch!((ids) => told.push(...ids))
    return watch
  }

  it('reports an agent that was killed, and no other', async () => {
    const watching = begin()
    const [one, other] = [await world.start(['sleep', '60']), await world.start(['sleep', '60'])]
    watching.follow([one, other])
    await waitFor('both', async () => (await world.runtime.probe!([one, other])).size === 2)
    for (const pid of processesOf(one)) process.kill(pid, 'SIGKILL')
    await waitFor('the news', () => told.length > 0)
    expect(told).toEqual([one.id])
    expect((await world.runtime.probe!([one])).get(one.id)).toMatchObject({ state: 'dead', signal: 'SIGKILL' })
  })

  it('reports one that ends on its own, and one that had ended before it was followed', async () => {
    const watching = begin()
    const handle = await world.start(['sh', '-c', 'read line; exit 3'])
    const ended = await world.start(['true'])
    await waitFor('its end', async () => (await world.runtime.probe!([ended])).get(ended.id)?.state === 'dead')
    watching.follow([handle, ended])
    await waitFor('the old news', () => told.includes(ended.id))
    await world.runtime.sendMessage(handle, 'go')
    await waitFor('the news', () => told.includes(handle.id))
    expect(told.toSorted()).toEqual([handle.id, ended.id].toSorted())
    expect((await world.runtime.probe!([handle])).get(handle.id)).toMatchObject({ state: 'dead', exitCode: 3 })
  })

  it('reports a session that was destroyed by someone else', async () => {
    const watching = begin()
    const handle = await world.start(['sleep', '60'])
    watching.follow([handle])
    await world.runtime.destroy(handle, { force: true })
    await waitFor('the news', () => told.includes(handle.id))
  })

  it('reports nothing after it was closed', async () => {
    const watching = begin()
    const [before, after] = [await world.start(['sleep', '60']), await world.start(['sleep', '60'])]
    watching.follow([before, after])
    for (const pid of processesOf(before)) process.kill(pid, 'SIGKILL')
    await waitFor('the news', () => told.length > 0)
    watching.close()
    await world.runtime.destroy(after, { force: true })
    expect(told).toEqual([before.id])
  })

  it('reports each launch of a name', async () => {
    const watching = begin()
    const name = 'a3b4c5d6e7f8-app-77'
    for (const times of [1, 2]) {
      const handle = await world.start(['sleep', '60'], { name })
      watching.follow([handle])
      await waitFor('its life', async () => world.runtime.isAlive(handle))
      await world.runtime.destroy(handle, { force: true })
      await waitFor('the news', () => told.length === times)
    }
    expect(told).toEqual([name, name])
  })
}
