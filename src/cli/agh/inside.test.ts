import { describe, expect, it } from 'vitest'
import type { AghRoute } from '../../agh/daemon/routes/agh-route.ts'
import { DRIVER_ROUTES } from '../../agh/daemon/routes/driver-routes.ts'
import { describedRoutes } from '../../agh/daemon/routes/routes.ts'
import {
  type Caller,
  type CallerKind,
  isForEveryone,
  refuseCommand,
  refuseRequest,
} from '../../core/boundary/rights.ts'
import { COMMANDS } from './commands.ts'

const loaded = await Promise.all(COMMANDS.map((entry) => entry.load()))
const agh = (name: string) => ({ program: 'agh', command: loaded.find((one) => one.name === name)! }) as const

const KINDS: readonly CallerKind[] = ['worker', 'orchestrator', 'agent']
const caller = (kind: CallerKind, token: string | null = 'secret'): Caller => ({
  kind,
  sessionId: 'sess-own',
  projectId: null,
  token,
})

describe('what an agent inside a session may run of agh', () => {
  it.each(KINDS)('a command that says nothing about it is refused: %s', (kind) => {
    expect(refuseCommand(caller(kind), { program: 'agh', command: { name: 'brand new' } })).toContain('is not for')
  })

  it.each([
    ...['session approve', 'session rules', 'session set', 'session attach', 'session new', 'run', 'workspace add'],
    ...[
      'daemon start',
      'daemon stop',
      'daemon restart',
      'install',
      'doctor',
      'task run',
      'session repair',
      'session trim',
      'acp',
    ],
  ])('N11 agh %s is for people, whoever asks', (command) => {
    for (const kind of KINDS) expect(refuseCommand(caller(kind), agh(command))).not.toBeNull()
  })

  it('N6 a session of ao acts on no session of agh by itself', () => {
    const acts = ['prompt', 'stop', 'cancel', 'queue', 'retry', 'resume', 'wake'].map((name) => `session ${name}`)
    for (const command of [...acts, 'spawn']) {
      for (const kind of ['worker', 'orchestrator'] as const) {
        expect(refuseCommand(caller(kind), agh(command))).toContain('is not for')
      }
    }
    expect(refuseCommand(caller('worker', null), agh('session events'))).not.toBeNull()
  })
})

const FOR_PEOPLE = [
  'DELETE /api/sessions/:id/rules/:rule',
  'DELETE /api/tasks/:id',
  'DELETE /api/workspaces/:id',
  'GET /api/sessions/:id/conversations',
  'PATCH /api/sessions/:id',
  'POST /api/driver/sessions/:id/trim',
  'POST /api/sessions',
  'POST /api/sessions/:id/approve',
  'POST /api/sessions/:id/close',
  'POST /api/sessions/:id/conversation/delete',
  'POST /api/sessions/:id/fork',
  'POST /api/sessions/:id/repair',
  'POST /api/sessions/:id/trim',
  'POST /api/tasks',
  'POST /api/tasks/:id/runs',
  'POST /api/workspaces',
]

describe('what an agent inside a session may request of the daemon', () => {
  const routes: readonly AghRoute[] = [...describedRoutes(), ...DRIVER_ROUTES]
  const routeOf = (name: string) => routes.find(({ method, path }) => `${method} ${path}` === name)!

  it('a route that says nothing about it is refused, and is not for everyone', () => {
    const route = { method: 'POST', path: '/api/brand/new' }
    expect(isForEveryone(route)).toBe(false)
    for (const kind of KINDS) expect(refuseRequest({ kind, aghSession: 'a' }, route, ['a'])).not.toBeNull()
  })

  it('only reading is for everyone', () => {
    const changing = routes.filter((route) => route.method !== 'GET' && isForEveryone(route))
    expect(changing.map(({ path }) => path)).toEqual(['/api/driver/sessions/look'])
  })

  it('what only a person may do: start, change, approve, repair and remove', () => {
    const forPeople = routes.filter((route) =>
      KINDS.every((kind) => refuseRequest({ kind, aghSession: 'a' }, route, ['child', 'a']) !== null),
    )
    expect(forPeople.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(FOR_PEOPLE)
  })

  it.each([
    ['its own session', ['own'], false, true],
    ['a child', ['child', 'own'], true, true],
    ['a grandchild', ['grandchild', 'child', 'own'], true, true],
    ['a sibling', ['sibling', 'parent'], false, false],
    ['its parent', ['parent'], false, false],
    ['a child of another one', ['child', 'other'], false, false],
  ])('an agent and %s', (_what, ancestry, mayAct, mayRead) => {
    const own = { kind: 'agent', aghSession: 'own' } as const
    expect(refuseRequest(own, routeOf('POST /api/sessions/:id/prompt'), ancestry) === null).toBe(mayAct)
    expect(refuseRequest(own, routeOf('GET /api/sessions/:id/events'), ancestry) === null).toBe(mayRead)
    expect(refuseRequest(own, routeOf('POST /api/sessions/:id/approve'), ancestry)).not.toBeNull()
  })
})
