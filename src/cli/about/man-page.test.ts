import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { COMMANDS as AGH } from '../agh/commands.ts'
import { COMMANDS as AO } from '../ao/commands.ts'
import { loadGroups } from '../command-table.ts'
import { manPage } from './command-docs.ts'

describe.each([
  ['ao', AO],
  ['agh', AGH],
] as const)('the manual page of %s', (program, table) => {
  it('has every command, and no line that roff would take for one of its own', async () => {
    const page = await manPage(program, await loadGroups(table))
    const shown = table.filter(({ hidden }) => !hidden)
    for (const { name } of shown) expect(page).toContain(`.SS ${program} ${name.replaceAll('-', '\\-')}`)
    const requests = new Set(page.split('\n').flatMap((line) => /^[.'](\w*)/.exec(line)?.[1] ?? []))
    expect([...requests].sort()).toEqual(['B', 'PP', 'SH', 'SS', 'TH', 'TP'])
  })

  it('is set by groff without a warning', async () => {
    const page = await manPage(program, await loadGroups(table))
    const set = spawnSync('groff', ['-man', '-Tutf8', '-ww'], { input: page, encoding: 'utf8' })
    // Not on every machine.
    if (set.error) return
    expect(set.stderr).toBe('')
    expect(set.stdout).toContain(`${program.toUpperCase()}(1)`)
  })
})
