import { describe, expect, it } from 'vitest'
import { DRIVER_ROUTES } from '../../agh/daemon/routes/driver-routes.ts'
import { describedRoutes } from '../../agh/daemon/routes/routes.ts'
import { type Caller, type CallerKind, INSIDE_COMMANDS, refuseCommand } from '../../core/boundary/inside-commands.ts'
import { INSIDE_ROUTES, isForEveryone, refuseRequest } from '../../core/boundary/inside-routes.ts'
import { COMMANDS } from './commands.ts'

const KINDS: readonly CallerKind[] = ['worker', 'orchestrator', 'agent']
const caller = (kind: CallerKind, token: string | null = 'secret'): Caller => ({
  kind,
  sessionId: 'sess-own',
  projectId: null,
  token,
})

describe('what an agent inside a session may run of agh', () => {
  it('is decided for every command, and only for existing ones', () => {
    expect(Object.keys(INSIDE_COMMANDS.agh).sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
  })

  it.each(KINDS)('an undecided command is refused: %s', (kind) => {
    for (const command of ['brand new', 'constructor', '__proto__']) {
      expect(refuseCommand(caller(kind), { program: 'agh', command })).toContain('is not for')
    }
  })

  it.each([
    ...['session approve', 'session rules', 'session set', 'session attach', 'session new', 'run', 'session repair'],
    ...['daemon start', 'daemon stop', 'daemon restart', 'install', 'doctor', 'task run', 'workspace add'],
  ])('N11 agh %s is for people, whoever asks', (command) => {
    for (const kind of KINDS) expect(refuseCommand(caller(kind), { program: 'agh', command })).not.toBeNull()
  })

  it('N6 a session of ao acts on no session of agh by itself', () => {
    const acts = ['prompt', 'stop', 'cancel', 'queue', 'retry', 'resume', 'wake'].map((name) => `session ${name}`)
    for (const command of [...acts, 'spawn']) {
      for (const kind of ['worker', 'orchestrator'] as const) {
        expect(refuseCommand(caller(kind), { program: 'agh', command })).toContain('is not for')
      }
    }
    expect(refuseCommand(caller('worker', null), { program: 'agh', command: 'session events' })).not.toBeNull()
  })
})

describe('what an agent inside a session may request of the daemon', () => {
  const routes = [...describedRoutes(), ...DRIVER_ROUTES].map(({ method, path }) => `${method} ${path}`)

  it('is decided for every route, and only for existing ones', () => {
    expect(Object.keys(INSIDE_ROUTES).sort()).toEqual(routes.sort())
  })

  it('an undecided route is refused, and is not for everyone', () => {
    expect(isForEveryone('POST /api/brand/new')).toBe(false)
    for (const kind of KINDS) {
      expect(refuseRequest({ kind, aghSession: 'a' }, 'POST /api/brand/new', ['a'])).not.toBeNull()
      expect(refuseRequest({ kind, aghSession: 'a' }, 'constructor', ['a'])).not.toBeNull()
    }
  })

  it('only reading is for everyone', () => {
    expect(routes.filter((route) => !route.startsWith('GET ') && isForEveryone(route))).toEqual([
      'POST /api/driver/sessions/look',
    ])
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
    expect(refuseRequest(own, 'POST /api/sessions/:id/prompt', ancestry) === null).toBe(mayAct)
    expect(refuseRequest(own, 'GET /api/sessions/:id/events', ancestry) === null).toBe(mayRead)
    expect(refuseRequest(own, 'POST /api/sessions/:id/approve', ancestry)).not.toBeNull()
  })
})
