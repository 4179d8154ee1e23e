// npm run torture -- lines: the program that keeps the lines to a place is killed at any moment of the turns of several sessions there.
// Every message is obeyed once, and its work comes home.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../src/lib/clock.ts'
import { createMachineHere } from '../test/support/machine-here.ts'
import { buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { campaign, triesOr } from './campaign.ts'

buildAo()

const CONFIG = `port: 0
defaults: { agent: demo, runtime: process }
places: { box: { type: ssh, host: box } }
projects:
  app: { path: ., place: box, tracker: local, scm: local, agentConfig: { permissions: skip } }
`
const IDS = ['app-1', 'app-2', 'app-3', 'app-4']
const TIMEOUT_MS = 60_000

campaign('killed lines', async (one) => {
  const ao = createAoWorld({ config: CONFIG })
  const machine = createMachineHere(ao.temp)
  one.afterwards(async () => {
    await Promise.all(IDS.map((id) => ao.ao(['session', 'kill', id, '--purge', '--force'])))
    return ao.temp.cleanup()
  })
  await ao.ao(['config', 'trust', '--yes'])
  for (const id of IDS) {
    const { code, stderr } = await ao.ao(['spawn', '--prompt', 'demo: say hello'])
    if (code !== 0) throw new Error(`${id} was not started: ${stderr}`)
  }
  let longest = 1_000
  for (let round = 0; round * IDS.length < triesOr(40); round++) {
    const begun = performance.now()
    const turn = `demo: append done ${round}\ndemo: commit round ${round}`
    const sending = IDS.map((id) => ao.ao(['send', id, turn, '--no-wait'], { timeoutMs: TIMEOUT_MS }))
    const killed = sleep(one.random.below(longest)).then(() => machine.killAtHome('place-lines'))
    const sent = await Promise.all(sending)
    // Whatever comes home now does so over lines that the next command opened.
    const count = await killed
    one.noted(count > 0 ? 'kills' : 'rounds without anything to kill')
    for (const [n, id] of IDS.entries()) {
      const attempt = count > 0 ? one.tried('turns') : one
      const where = `round ${round}: ${id}`
      const { code, stdout, stderr } = sent[n]!
      const send = (text: string) => ao.ao(['send', id, text, '--no-wait'], { timeoutMs: TIMEOUT_MS })
      if (code === null) {
        attempt.broken(`${where}: no answer: ${stderr}`)
      } else if (code !== 0) {
        // Refused in words is an answer: the message is sent again, as a person would.
        one.noted('messages refused')
        const again = await send(turn)
        if (again.code !== 0) attempt.broken(`${where}: refused twice: ${again.stderr}`)
      } else if (stdout.startsWith('held')) {
        // No loop runs here, so the next message brings it along, as was said.
        one.noted('messages held')
        await send('demo: say go on')
      }
      const file = join(ao.temp.home, '.worktrees', 'app', id, 'done')
      const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [])
      const isHome = () => lines().includes(String(round))
      // Lines that are gone come back with the next command.
      if (!isHome()) await ao.ao(['session', 'ls'])
      const history = async () => `${stdout}${(await ao.ao(['events', id, '--last', '12'])).stdout}`
      await waitFor('its work', isHome, TIMEOUT_MS).catch(async () =>
        attempt.broken(`${where}: its work did not come home: ${await history()}`),
      )
      const times = lines().filter((line) => line === String(round)).length
      if (times > 1) attempt.broken(`${where}: it was obeyed ${times} times: ${await history()}`)
    }
    longest = (longest + performance.now() - begun) / 2
    one.judged()
  }
})
