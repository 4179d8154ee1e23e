// Other names of commands, and the words that lead to them, in both programs.
import { describe, expect, it } from 'vitest'
import { COMMANDS as AGH } from '../agh/commands.ts'
import { COMMANDS as AO } from '../ao/commands.ts'
import { findCommand } from '../command-table.ts'

describe.each([
  ['ao', AO],
  ['agh', AGH],
] as const)('%s', (program, table) => {
  const names = table.map(({ name }) => name)
  const aliases = table.flatMap((entry) => entry.aliases ?? [])
  const synonyms = table.flatMap((entry) => entry.meantBy ?? [])

  it('has no name twice', () => {
    const all = [
      ...names,
      ...aliases,
      ...synonyms,
      ...new Set(names.map((name) => name.split(' ')[0]!).filter((word) => !names.includes(word))),
    ]
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
  })

  it.each(table.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const)))(
    '%s is %s',
    (alias, name) => {
      expect(findCommand(table, [...alias.split(' '), 'x', '--json'], program)).toMatchObject({
        kind: 'command',
        entry: { name },
        rest: ['x', '--json'],
      })
    },
  )

  it.each(table.flatMap(({ name, meantBy = [] }) => meantBy.map((word) => [word, name] as const)))(
    '%s leads to %s',
    (word, name) => {
      expect(() => findCommand(table, [word, 'x'], program)).toThrow(
        expect.objectContaining({ code: 'USAGE', hint: `Did you mean: ${program} ${name}` }),
      )
    },
  )
})

it('each program understands what the other one calls its sessions', () => {
  const verbs = (table: typeof AO) =>
    table.flatMap(({ name, aliases = [] }) => [name, ...aliases]).filter((name) => name.startsWith('session '))
  const shared = ['ls', 'list', 'show', 'status', 'kill', 'stop', 'restore', 'resume', 'attach', 'approve']
  for (const table of [AO, AGH])
    expect(verbs(table)).toEqual(expect.arrayContaining(shared.map((verb) => `session ${verb}`)))
})
