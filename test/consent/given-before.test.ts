// Consent that was given to an earlier version counts: what is asked for hashes to exactly the same as then.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { completeConfig, parseConfig } from '../../src/config/load-config.ts'
import { trustItems } from '../../src/config/trust/trust-items.ts'

const directory = join(import.meta.dirname, '..', 'fixtures', 'consent')
const home = '/nowhere/home'

function itemsOf(text: string) {
  const main = { path: '/nowhere/app/agent-orchestrator.yaml', text }
  const env = Object.fromEntries(['AO_TOKEN', 'OTLP', 'HOOK', 'SIGN', 'REPO'].map((name) => [name, 'x']))
  const parsed = parseConfig({ main, user: null, isUsersOnly: false }, home)
  return trustItems(completeConfig(parsed, { env, home }), { home })
}

it('nothing that was consented to is asked for again', () => {
  const given = JSON.parse(readFileSync(join(directory, 'consent.json'), 'utf8')) as Record<string, string>
  const items = itemsOf(readFileSync(join(directory, 'agent-orchestrator.yaml'), 'utf8'))
  expect(Object.fromEntries(items.map(({ hash, kind, what }) => [hash, `${kind}: ${what}`]))).toEqual(given)
})

it('consent to the commands of one hook never counts for those of the other', () => {
  const lists = [['x'], ['preRemove', 'x'], ['postCreate', 'x'], ['postCreate', 'preRemove', 'x']]
  const hooks = lists.flatMap((commands) => ['postCreate', 'preRemove'].map((hook) => ({ hook, commands })))
  const hashes = hooks.flatMap(({ hook, commands }) =>
    itemsOf(`projects: { app: { path: ., ${hook}: ${JSON.stringify(commands)} } }`).map(({ hash }) => hash),
  )
  expect(new Set(hashes).size).toBe(hooks.length)
})
