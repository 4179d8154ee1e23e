import { expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { startAgent } from './agent-terminal.ts'

it.each([
  ['typed', (agent: Awaited<ReturnType<typeof startAgent>>) => agent.input('x')],
  ['changed the size', (agent: Awaited<ReturnType<typeof startAgent>>) => agent.resize(90, 30)],
])('after a person %s, the screen is read when it had the time to be drawn', async (_what, touch) => {
  const environment = { PATH: process.env.PATH ?? '' }
  const agent = await startAgent({ command: ['cat'], environment, workspacePath: '/', cols: 80, rows: 24 })
  await agent.type('ready')
  await waitFor('the first text', () => agent.screen.text(5).includes('ready'))
  const touchedAt = performance.now()
  touch(agent)
  await agent.settled()
  expect(performance.now() - touchedAt).toBeGreaterThanOrEqual(600)
  await agent.type('\u0004\u0004')
  await agent.ended
  await agent.settled()
})
