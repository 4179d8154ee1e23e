import { expect, it } from 'vitest'
import type { Entry } from '../../contract/config/key.ts'
import { entriesOf } from './entries.ts'

it('names every key below a group and below names that people choose, in the order of declaration', () => {
  const key = { kind: 'key' } as Entry
  const group = (keys: Record<string, Entry>) => ({ kind: 'group', keys }) as unknown as Entry
  const named = (entry: Entry, except?: Record<string, Entry>) => ({ kind: 'named', entry, except }) as unknown as Entry
  const paths = (entry: Entry) => entriesOf(entry).map(({ path }) => path.join('.'))

  expect(paths(key)).toEqual([])
  expect(paths(group({ port: key, ui: group({ dark: key }) }))).toEqual(['port', 'ui', 'ui.dark'])
  expect(paths(named(group({ path: key })))).toEqual(['*', '*.path'])
  expect(paths(group({ of: named(key, { main: group({ own: key }) }) }))).toEqual([
    'of',
    'of.main',
    'of.main.own',
    'of.*',
  ])
  expect(entriesOf(group({ port: key }), ['top'])).toEqual([{ path: ['top', 'port'], entry: key }])
})
