// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// What needs consent, as the declared keys and the options of plugins say it: no key can be forgotten.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { key, openGroup } from '../../src/contract/config/key.ts'
import { CONFIG } from '../../src/contract/config/keys.ts'
import { PLUGIN_OPTIONS } from '../../src/contract/config/plugin-options.ts'
import { text } from '../../src/contract/config/values.ts'
import { entriesOf } from '../../src/core/config/entries.ts'
import { findConsent, optionVerdict } from '../../src/core/config/find-consent.ts'
import { BUILTIN_PLUGINS } from '../../src/plugins/builtin.ts'

describe('what needs consent', () => {
  it('has an answer for every declared key: deny what has none', () => {
    // @ts-expect-error a key without a decision about consent does not compile
    key(text, 'New')
    // @ts-expect-error and neither does a group that takes keys which nobody declared
    openGroup({ about: 'New' }, {})
    const undecided = entriesOf(CONFIG).filter(({ entry }) => entry.kind === 'key' && entry.consent === undefined)
    expect(undecided).toEqual([])
  })

  it('is told to users key by key', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'trust.md'), 'utf8')
    const table = page.slice(page.indexOf('## What needs consent'), page.indexOf('## Your own file'))
    const missing = consentKeys().filter((path) => !isNamed(table, path))
    expect(missing.map((path) => path.join('.'))).toEqual([])
  })

  it('has a row for every built-in plugin', () => {
    const listed = Object.entries(PLUGIN_OPTIONS).flatMap(([slot, plugins]) =>
      Object.keys(plugins).map((name) => `${slot} ${name}`),
    )
    expect(listed.sort()).toEqual(BUILTIN_PLUGINS.map(({ slot, name }) => `${slot} ${name}`).sort())
  })

  it.each(BUILTIN_PLUGINS.map((plugin) => [`${plugin.slot} ${plugin.name}`, plugin] as const))(
    'has a verdict for every option of the plugin %s and for nothing else',
    async (_what, { slot, name, load }) => {
      const { plugin } = await load()
      expect(plugin.options, 'a built-in plugin declares its options').toBeDefined()
      expect(Object.keys(PLUGIN_OPTIONS[slot][name]!).sort()).toEqual(Object.keys(plugin.options!.shape ?? {}).sort())
      expect(plugin.options!.safeParse({ notListed: 1 })).toMatchObject({ success: false })
    },
  )

  it('denies what it does not know', () => {
    expect(optionVerdict('agent', 'mine', 'anything')).toBe('agent-command')
    expect(optionVerdict('agent', 'constructor', 'name')).toBe('agent-command')
    expect(optionVerdict('notifier', 'desktop', 'toString')).toBe('send')
    expect(optionVerdict('scm', undefined, 'mergeMethod')).toBe('send')
    expect(kindsIn({ brandNew: 1 })).toEqual(['agent-command'])
    expect(kindsIn({ projects: { app: { path: '.', agentConfig: { ownOption: 'x' } } } })).toContain('agent-command')
    expect(kindsIn({ projects: 'text' })).toEqual(['agent-command'])
  })

  it('finds the environment in every harmless text, but not where a text is taken literally', () => {
    expect(kindsIn({ projects: { app: { name: 'evil/${TOKEN}' } } })).toEqual(['environment'])
    expect(kindsIn({ projects: { app: { symlinks: ['a', '${TOKEN}'] } } })).toEqual(['environment'])
    expect(kindsIn({ notificationRouting: { urgent: ['${TOKEN:-x}'] } })).toEqual(['environment'])
    expect(kindsIn({ projects: { app: { name: 'a/$${TOKEN}', agentRules: '${TOKEN}' } } })).toEqual([])
  })
})

/** The paths of all keys that need consent, without the names that people choose. */
function consentKeys(): string[][] {
  const declared = entriesOf(CONFIG).filter(({ entry }) => (entry.consent ?? 'harmless') !== 'harmless')
  return declared.map(({ path }) => path.filter((name) => name !== '*'))
}

/** The key itself within some code, or a key above it as a whole. */
function isNamed(table: string, path: string[]): boolean {
  const codes = [...table.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  const above = path.map((_, index) => path.slice(0, index + 1).join('.'))
  return codes.some(
    (code) => path.includes(code) || above.includes(code) || code.split(/[^\w-]+/).includes(path.at(-1) ?? ''),
  )
}

function kindsIn(file: unknown): string[] {
  return findConsent(file).map(({ kind }) => kind)
}
