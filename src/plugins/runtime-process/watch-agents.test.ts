// The loop hears of the end of an agent through a connection to its host, also after an earlier connection broke.

import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { useRuntimeWorld } from '../../../test/contract/runtime-world.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { plugin } from './index.ts'

const streams = vi.hoisted(() => [] as Duplex[])

vi.mock('../../host/read.ts', async (original) => {
  const real = await original<typeof import('../../host/read.ts')>()
  const connectHost = async (path: string) => {
    const stream = await real.connectHost(path)
    streams.push(stream)
    return stream
  }
  return { ...real, connectHost }
})

const world = useRuntimeWorld({
  plugin,
  file: join(import.meta.dirname, 'index.ts'),
  missingCommand: 'refused',
  detachKeys: '\u001d',
})

it('the end of an agent is heard of after its connection broke', async () => {
  const handle = await world.start(['sleep', '60'])
  const heard: string[] = []
  const watch = world.runtime.watch!((names) => heard.push(...names))
  streams.length = 0
  watch.follow([handle])
  await waitFor('the connection', () => streams.length === 1)
  streams[0]!.destroy(new Error('read EIO'))
  await waitFor('the break', () => heard.length === 1)
  expect(await world.runtime.isAlive(handle)).toBe(true)
  await waitFor('a new connection', () => {
    watch.follow([handle])
    return streams.length === 2
  })
  await world.runtime.destroy(handle)
  await waitFor('its end', () => heard.length === 2)
  watch.close()
})
