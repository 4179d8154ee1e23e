// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// The one list of what needs consent, compared with everything that the configuration can say: no key can be forgotten.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { configSchema } from '../../src/contract/config.ts'
import { CONFIG_CONSENT, PLUGIN_OPTIONS, type Rule } from '../../src/contract/config-consent.ts'
import { findConsent, optionVerdict } from '../../src/core/consent/find-consent.ts'
import { BUILTIN_PLUGINS } from '../../src/plugins/builtin.ts'

type Def = z.core.$ZodTypes['_zod']['def']
const defOf = (schema: unknown): Def => (schema as z.core.$ZodTypes)._zod.def

/** Goes down schema and list together; a key of the one that the other does not have is reported. */
function compare(schema: unknown, rule: Rule | undefined, path: string): string[] {
  if (rule === undefined) return [`${path} is in the schema, but not in the list`]
  // One verdict for whatever is there.
  if (typeof rule === 'string' || 'verdict' in rule || 'optionsOf' in rule) return []
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
    case 'default':
      return compare(def.innerType, rule, path)
    case 'record':
      if (rule.others === undefined) return [`${path}.* is in the schema, but not in the list`]
      return compare(def.valueType, rule.others, `${path}.*`)
    case 'object': {
      const known = Object.keys(def.shape)
      const stray = Object.keys(rule.keys).filter((key) => !known.includes(key))
      const isLoose = def.catchall !== undefined && defOf(def.catchall).type === 'unknown'
      return [
        ...stray.map((key) => `${path}.${key} is in the list, but not in the schema`),
        ...(isLoose && rule.others === undefined
          ? [`${path} takes any key, but the list has no verdict for others`]
          : []),
        ...known.flatMap((key) => compare(def.shape[key], rule.keys[key], `${path}.${key}`)),
      ]
    }
    default:
      return [`${path} holds no keys, but the list has keys for it (${def.type})`]
  }
}

describe('the list of what needs consent', () => {
  it('has a verdict for every key of the schema and for nothing else', () => {
    expect(compare(configSchema, CONFIG_CONSENT, 'config')).toEqual([])
  })

  it('notices a key that somebody adds to the schema', () => {
    const more = z.strictObject({ ...configSchema.shape, beforeStart: z.optional(z.string()) })
    expect(compare(more, CONFIG_CONSENT, 'config')).toEqual([
      'config.beforeStart is in the schema, but not in the list',
    ])
  })

  it('is told to users key by key', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'trust.md'), 'utf8')
    const table = page.slice(page.indexOf('## What needs consent'), page.indexOf('## Your own file'))
    const missing = consentKeys(CONFIG_CONSENT, []).filter((path) => !isNamed(table, path))
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
    expect(kindsIn({ projects: { app: { repo: 'evil/${TOKEN}' } } })).toEqual(['environment'])
    expect(kindsIn({ projects: { app: { symlinks: ['a', '${TOKEN}'] } } })).toEqual(['environment'])
    expect(kindsIn({ notificationRouting: { urgent: ['${TOKEN:-x}'] } })).toEqual(['environment'])
    expect(kindsIn({ projects: { app: { repo: 'a/$${TOKEN}', agentRules: '${TOKEN}' } } })).toEqual([])
  })
})

/** The paths of all keys that need consent. */
function consentKeys(rule: Rule, path: string[]): string[][] {
  if (rule === 'harmless' || (typeof rule === 'object' && 'optionsOf' in rule)) return []
  if (typeof rule === 'string' || 'verdict' in rule) return [path]
  return [
    ...Object.entries(rule.keys).flatMap(([key, inner]) => consentKeys(inner, [...path, key])),
    ...(rule.others === undefined ? [] : consentKeys(rule.others, path)),
  ]
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
