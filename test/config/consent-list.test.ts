// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// The one list of what needs consent, compared with everything that the configuration can say: no key can be forgotten.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { configSchema } from '../../src/contract/config.ts'
import { CONFIG_CONSENT, PLUGIN_OPTIONS, type Rule } from '../../src/contract/config-consent.ts'
import { findConsent, optionVerdict } from '../../src/core/consent/find-consent.ts'
import { BUILTIN_PLUGINS } from '../../src/plugins/builtin.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'

type Def = z.core.$ZodTypes['_zod']['def']
const defOf = (schema: unknown): Def => (schema as z.core.$ZodTypes)._zod.def

/** Goes down schema and list together; a key of the one that the other does not have is reported. */
function compare(schema: unknown, rule: Rule | undefined, path: string): string[] {
  if (rule === undefined) return [`${path} is in the schema, but not in the list`]
  // One verdict for whatever stands there.
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

  it('has a row for every built-in plugin', () => {
    const listed = Object.entries(PLUGIN_OPTIONS).flatMap(([slot, plugins]) =>
      Object.keys(plugins).map((name) => `${slot} ${name}`),
    )
    expect(listed.sort()).toEqual(BUILTIN_PLUGINS.map(({ slot, name }) => `${slot} ${name}`).sort())
  })

  it.each(BUILTIN_PLUGINS.map((plugin) => [`${plugin.slot} ${plugin.name}`, plugin] as const))(
    'and the plugin %s get the same options',
    async (_what, { slot, name, load }) => {
      const registry = createPluginRegistry()
      // Also one that the plugin itself would take: without a verdict it never arrives there.
      await expect(registry.load(slot, { plugin: name, notListed: 1 })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('notListed'),
      })
      const { plugin } = await load()
      const context = { home: '/h', env: {}, log: console as never, configDir: '/c', dataDir: '/d' }
      for (const option of Object.keys(PLUGIN_OPTIONS[slot][name]!)) {
        // A value that fits no option: what is refused is the value, not the key.
        const refusal = messageOf(() => plugin.create({ [option]: Symbol('none') as unknown }, context))
        expect(refusal).not.toMatch(/knows no option|unknown|unrecognized/i)
      }
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

  it('finds the environment in every harmless text, but not where a text is taken as it stands', () => {
    expect(kindsIn({ projects: { app: { repo: 'evil/${TOKEN}' } } })).toEqual(['environment'])
    expect(kindsIn({ projects: { app: { symlinks: ['a', '${TOKEN}'] } } })).toEqual(['environment'])
    expect(kindsIn({ notificationRouting: { urgent: ['${TOKEN:-x}'] } })).toEqual(['environment'])
    expect(kindsIn({ projects: { app: { repo: 'a/$${TOKEN}', agentRules: '${TOKEN}' } } })).toEqual([])
  })
})

function kindsIn(file: unknown): string[] {
  return findConsent(file).map(({ kind }) => kind)
}

function messageOf(action: () => unknown): string {
  try {
    action()
    return ''
  } catch (error) {
    return String((error as Error).message)
  }
}
