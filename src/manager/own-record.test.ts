import { expect, it } from 'vitest'
import type { RuntimeHandle } from '../contract/session.ts'
import { foreignHandle, type OwnLaunch } from './active.ts'
import { foreignWorkspace } from './own-record.ts'

const OWN: OwnLaunch = { name: 'abc-app-1', stateDir: '/state', spawnId: 's1', othersSpawnIds: new Set(['s2']) }

it.each<[string, Partial<RuntimeHandle>, Partial<OwnLaunch>, RegExp | null]>([
  ['its own', { data: { spawnId: 's1', stateDir: '/state' } }, {}, null],
  ['its own, of an older version', {}, {}, null],
  ['its own, of an older record', { data: { spawnId: 's9' } }, { spawnId: undefined }, null],
  ['odd, but with its name', { data: { spawnId: 7, stateDir: 7 } }, {}, null],
  ['of another name', { id: 'abc-app-2' }, {}, /names abc-app-2, not abc-app-1/],
  ['of another directory', { data: { stateDir: '/other' } }, {}, /state directory is \/other/],
  ['the agent of another session', { data: { spawnId: 's2' } }, { spawnId: undefined }, /agent of another session/],
  ['of another start', { data: { spawnId: 's9' } }, {}, /another start than the record/],
])('nothing is ended by a handle unless it is its own: %s', (_which, handle, own, why) => {
  const problem = foreignHandle({ id: 'abc-app-1', runtimeName: 'tmux', ...handle }, { ...OWN, ...own })
  if (why === null) expect(problem).toBeNull()
  else expect(problem).toMatch(why)
})

it.each<[string, string | null, string[], RegExp | null]>([
  ['marked for it', 'app-1', ['/w'], null],
  ['without a mark', null, ['/v'], null],
  ['marked for another', 'app-2', [], /made for session app-2/],
  ['that another record names', null, ['/w'], /workspace of another session/],
])('no workspace is removed unless it is its own: one %s', (_which, markedFor, others, why) => {
  const problem = foreignWorkspace('app-1', '/w', { markedFor, othersPaths: new Set(others) })
  if (why === null) expect(problem).toBeNull()
  else expect(problem).toMatch(why)
})
