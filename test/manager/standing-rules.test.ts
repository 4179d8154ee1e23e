// Standing rules: each with who keeps it; only what ao's side keeps is revoked, and nothing else is called revoked.
import { appendFileSync, readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import type { SessionEvents } from '../../src/slots/session-events.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
afterEach(() => world.cleanup())

const kept = new Map([['perm-3', 'write files']])
const events = {
  read: async () => new Map(),
  hasSeen: async () => true,
  watchPaths: () => [],
  standingRules: async () => [...kept].map(([id, rule]) => ({ id, rule })),
  revokeRule: async (_handle: unknown, id: string) => void kept.delete(id),
} as unknown as SessionEvents

it('lists and revokes what the runtime keeps, and only lists what the agent keeps', async () => {
  world = await createFakeWorld({
    runtime: { events },
    agent: {
      readStandingRules: () => [{ effect: 'allow', rule: 'Bash(ls)', file: '/w/settings.json', how: 'by hand' }],
    },
  })
  const { id } = await world.manager.spawn({ projectId: 'my-app' })
  const seq = readFileSync(world.paths.historyFile(id), 'utf8').trim().split('\n').length + 1
  const answered = { type: 'permission.answered', requestId: 'perm-3', decision: 'allow-always', title: 'Edit a.ts' }
  const line = { ...answered, seq, at: '2026-01-01T00:00:00.000Z', sessionId: id }
  appendFileSync(world.paths.historyFile(id), `${JSON.stringify(line)}\n`)
  const before = await world.manager.standingRules(id)
  expect(before.rules.map((one) => [one.id, one.keptBy, one.rule])).toEqual([
    ['perm-3', 'agh', 'write files'],
    [null, 'agent', 'Bash(ls)'],
    [null, 'agent', 'Edit a.ts: allow-always'],
  ])
  await world.manager.revokeRule(id, 'perm-3')
  const after = await world.manager.standingRules(id)
  expect(after.rules).toEqual(before.rules.slice(1))
  expect(readFileSync(world.paths.historyFile(id), 'utf8')).toContain('"permission.revoked"')
  await expect(world.manager.revokeRule(id, 'perm-3')).rejects.toMatchObject({ code: 'RULE_NOT_FOUND' })
})

it('says so when rules cannot be read, and shows the others', async () => {
  kept.set('perm-4', 'write files')
  world = await createFakeWorld({
    runtime: { events },
    agent: {
      readStandingRules: () => {
        throw new Error('settings.json is a directory')
      },
    },
  })
  const { id } = await world.manager.spawn({ projectId: 'my-app' })
  expect(await world.manager.standingRules(id)).toMatchObject({
    rules: [{ id: 'perm-4' }],
    problems: ['settings.json is a directory'],
  })
})
