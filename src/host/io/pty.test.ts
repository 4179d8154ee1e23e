import { expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { type AgentTerminal, startOnTerminal } from './pty.ts'

it.each([
  ['typed', (agent: AgentTerminal) => agent.input('x')],
  ['changed the size', (agent: AgentTerminal) => agent.resize(90, 30)],
])('after a person %s, the screen is read when it had the time to be drawn', async (_what, touch) => {
  const env = { PATH: process.env.PATH ?? '' }
  const agent = await startOnTerminal({ command: ['cat'], env, cwd: '/', cols: 80, rows: 24 })
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
