// More sessions on one machine than its sshd allows over one connection: OpenSSH as it comes, with MaxSessions 10.
import { afterEach, expect, it } from 'vitest'
import { sshEngine } from '../../src/plugins/runtime-ssh/ssh-engine.ts'
import type { Channel } from '../../src/slots/place.ts'
import { createTempHome } from '../support/temp-home.ts'
import { startMachine, whyNoSsh } from './ssh-machine.ts'

const endings: Array<() => unknown> = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

it.skipIf(whyNoSsh() !== null)('holds fourteen channels, and can still be tested, listed and ended', async () => {
  const temp = createTempHome()
  endings.push(() => temp.cleanup())
  const machine = await startMachine({ pids: 'own', hasNode: true })
  endings.push(() => machine.stop())
  const engine = sshEngine({ host: 'box', configFile: machine.configFile }, temp.env, temp.home)
  const open = async () => {
    const channel: Channel = await engine.channel('x', ['cat'])
    endings.push(() => channel.close())
    const answer = new Promise<string>((resolve) => {
      channel.stdout.once('data', (chunk) => resolve(String(chunk)))
      void channel.ended.then(({ stderr }) => resolve(stderr))
    })
    channel.stdin.write('here\n')
    return answer
  }
  expect(await Promise.all(Array.from({ length: 14 }, open))).toEqual(Array(14).fill('here\n'))
  expect(await engine.check()).toMatch(/^box: Linux/)
  expect(await engine.list()).toEqual([])
  await engine.stop('x')
})
