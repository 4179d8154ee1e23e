// npm run torture -- interrupt-send: `ao send` ended at random moments. The agent gets a message whole and once, or not at all;
// what follows is never joined to it; and nothing calls a message delivered that the agent does not have.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '../src/contract/events.ts'
import { createAoHome } from '../test/support/ao-home.ts'
import { runInterrupted, WAYS } from '../test/support/interrupt-command.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { campaign, timesOr } from './campaign.ts'

campaign('interrupted send', async (one) => {
  const agent = ['sh', '-c', 'cat >> "$HOME/heard"', 'agent']
  const ao = await createAoHome({ projectYaml: `agent: generic\nagentConfig: { command: ${JSON.stringify(agent)} }` })
  one.afterwards(() => ao.cleanup())
  const id = ao.spawn()
  const heard = () => {
    const file = join(ao.home, 'heard')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  }
  const times = timesOr(500)
  let duration = 600
  for (let interrupted = 0, round = 0; interrupted < times && round < times * 3; round++) {
    const way = one.random.pick(WAYS)
    const afterMs = one.random.below(Math.ceil(duration * 1.1))
    const text = `first ${round} ${one.random.below(1e9)}`
    const took = await runInterrupted(ao, ['send', id, text, '--no-wait'], way, afterMs)
    if (took !== null) duration = (duration + took) / 2
    else {
      interrupted++
      one.tried(way)
    }
    const where = `round ${round}, ${way} after ${afterMs} ms`
    const next = `second ${round}`
    const sent = ao.run(['send', id, next, '--no-wait'])
    if (sent.exitCode !== 0) one.broken(`${where}: the next message was refused: ${sent.stderr}`)
    await waitFor(`${next} to arrive`, () => heard().some((line) => line.includes(next)), 20_000).catch(() =>
      one.broken(`${where}: the next message never arrived`),
    )
    const lines = heard()
    const count = lines.filter((line) => line === text).length
    if (count > 1) one.broken(`${where}: the agent got it ${count} times`)
    if (took !== null && count !== 1) one.broken(`${where}: sent, and the agent got it ${count} times`)
    if (lines.filter((line) => line === next).length !== 1)
      one.broken(`${where}: the next message is not alone in its line`)
    if (count === 0 && lines.some((line) => line.includes(text.slice(0, 9)))) one.broken(`${where}: half of it arrived`)
    if (count === 0 && isCalledDelivered(ao.ok(['events', id, '--last', '40', '--json']), text))
      one.broken(`${where}: the history says that it was delivered`)
  }
})

function isCalledDelivered(json: string, text: string): boolean {
  const { events } = JSON.parse(json) as { events: SessionEvent[] }
  const queued = events.find((event) => event.type === 'message.queued' && JSON.stringify(event).includes(text))
  if (queued === undefined || !('messageId' in queued)) return false
  const of = (type: string) =>
    events.some((event) => event.type === type && 'messageId' in event && event.messageId === queued.messageId)
  return of('message.handed_over') || of('message.seen')
}
