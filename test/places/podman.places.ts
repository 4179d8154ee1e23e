// Podman by its own command line, without a service: from `ao place test` to the end of a session.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startEngine, whyNoDocker } from './docker-daemon.ts'
import { killWith } from './kill-with.ts'
import { ready, session, startSession, why } from './session-there.ts'

const no = whyNoDocker('podman')
const endings: Array<() => Promise<unknown>> = []
const onEnd = (end: () => Promise<unknown>) => void endings.push(end)

beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

describe.skipIf(no !== null)(`the command podman${no ? ` (${no})` : ''}`, () => {
  it('is tested, runs a session through the loss of its line, says how it ended, and leaves nothing', async () => {
    const engine = await startEngine('podman')
    endings.push(() => engine.stop())
    engine.importImage('bare:1', ['bin/busybox', 'bin/sh'])
    const place = (image: string) => `{ type: docker, command: '${engine.podman}', image: '${image}', network: none }`
    const places = `{ there: ${place(engine.image)}, gitless: ${place('docker.io/library/bare:1')}, imageless: ${place('localhost/nowhere:1')} }`
    const ao = await startSession({ places, onEnd })
    const tested = await ao.ao(['place', 'test', 'there'])
    expect(tested.stdout, tested.stderr).toMatch(/podman 4.*is here, with git/)
    expect((await ao.ao(['place', 'test', 'gitless'])).stderr).toMatch(/git is not installed in the image/)
    const refused = await ao.ao(['spawn', '--prompt', 'x', '--place', 'imageless'])
    expect(refused.stderr).toMatch(/The image localhost\/nowhere:1 could not be had/)

    killWith('place-line', ao.temp.home)
    const sent = await ao.ao(['send', 'app-1', 'After the loss'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
    await ready(ao)
    engine.removeAll()
    await waitFor('the end', async () => (await session(ao)).activity === 'exited', 60_000)
    // Its agent is asked to end before the container is removed: what is heard first is true.
    expect(await why(ao)).toMatch(/no longer exists|the container stopped|ended: exit code 143|SIGTERM/)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    expect(engine.containers()).toEqual([])
  })
})
