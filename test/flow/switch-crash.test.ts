// kill -9 after every step of a switch to another account, through the real command with real git and tmux: there is never
// a second agent, the work stays, and what the next agent has to know arrives once.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { THOROUGH } from '../support/cover.ts'

const AGENT = 'agent: generic\nagentConfig: { command: [sh, -c, "echo ready; exec cat"] }'
/** Of a user, so that nothing has to be agreed to. */
const OWN = `accounts: { second: { agentConfig: { env: { WHO: second } } } }
defaults: { fallback: [second] }
`
const POINTS = [
  'switch.announced',
  'switch.ended',
  'restore.announced',
  'restore.old-runtime-gone',
  'restore.runtime-started',
  'restore.recorded',
  'switch.restored',
]
const WORK = 'work that nobody committed\n'

let ao: AoHome

beforeEach(async () => {
  ao = await createAoHome({ projectYaml: AGENT })
  const own = join(ao.home, '.config', 'agent-orchestrator', 'config.yaml')
  mkdirSync(dirname(own), { recursive: true })
  writeFileSync(own, OWN)
})
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

const accountOf = (id: string) => ao.list().find((one) => one.id === id)?.account

it.each(POINTS.filter((point) => THOROUGH || point === 'restore.runtime-started'))('%s', (point) => {
  const id = ao.spawn()
  writeFileSync(join(ao.worktree(id), 'work.txt'), WORK)
  const switching = ['session', 'switch', id, '--account', 'second']
  expect(ao.run(switching, { AO_FAILPOINT: point }).signal).toBe('SIGKILL')
  // As the loop does by itself, or a person who sees that it was interrupted. It may be done already.
  ao.run(switching)
  ao.ok(['send', id, 'one more thing', '--no-wait'])
  expect(accountOf(id)).toBe('second')
  expect(ao.tmuxSessions()).toEqual([id])
  expect(readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8')).toBe(WORK)
  const history = ao.ok(['events', id, '--json'])
  const handed = [...history.matchAll(/"messageId":"handover-2"/g)].length
  expect(handed).toBeGreaterThan(0)
  expect(history.match(/"type":"message.handed_over"[^}]*"handover-2"/g)).toHaveLength(1)
  expect(history.match(/"type":"account.changed"/g)).toHaveLength(1)
})
