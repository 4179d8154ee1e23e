// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// Whatever text lies in the configuration file, loading it ends with a configuration or with one kind of error.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { AoError } from '../../src/contract/errors.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let path: string
beforeAll(() => {
  temp = createTempHome()
  path = join(temp.home, 'agent-orchestrator.yaml')
})
afterAll(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function loadText(text: string | Uint8Array): 'loaded' | AoError {
  writeFileSync(path, text)
  try {
    const config = loadConfig({ path, home: temp.home, env: temp.env })
    expect(config.configPath).toBe(path)
    return 'loaded'
  } catch (error) {
    expect(error).toBeInstanceOf(AoError)
    expect((error as AoError).message.length).toBeLessThan(20_000)
    return error as AoError
  }
}

const KEYS = [
  'projects',
  'defaults',
  'plugins',
  'app',
  'path',
  'agentConfig',
  'env',
  'external',
  'workspace',
  'reactions',
  '__proto__',
  'constructor',
  '<<',
  '1',
]
const SCALARS = [
  'x',
  '~',
  '~/x',
  '',
  '1',
  '-1',
  '.inf',
  '.nan',
  'true',
  '2020-01-01',
  '*a',
  '&a b',
  '${X}',
  '${X:-y}',
  '$${',
  '!!set {}',
  '|',
  '>',
  '\u0000',
  'ü',
]

describe('loading any text', () => {
  it('throws AoError or nothing for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void loadText(text)),
      { numRuns: 300 },
    )
  })

  it('throws AoError or nothing for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void loadText(bytes)),
      { numRuns: 200 },
    )
  })

  it('throws AoError or nothing for text made of what YAML and this file are made of', () => {
    const piece = fc.oneof(
      fc.constantFrom(...KEYS.map((key) => `${key}:`), ...SCALARS),
      fc.constantFrom(
        '\n',
        '\n  ',
        '\n    ',
        ' ',
        '- ',
        '{',
        '}',
        '[',
        ']',
        ',',
        '"',
        "'",
        '? ',
        ': ',
        '---\n',
        '# ',
        '\t',
        '%YAML 1.1\n---\n',
      ),
    )
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (wild) => void loadText(wild)),
      { numRuns: 1_000 },
    )
  })

  it('throws AoError or nothing for any data of any shape', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...SCALARS),
        fc.double(),
        fc.boolean(),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('tree'), { maxLength: 3 }),
      map: fc.dictionary(fc.constantFrom(...KEYS), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    }))
    fc.assert(
      fc.property(tree, (data) => void loadText(JSON.stringify(data))),
      { numRuns: 500 },
    )
    expect(({} as Record<string, unknown>).path).toBeUndefined()
  })

  it.each([
    ['deep nesting', '['.repeat(100_000)],
    ['deep nesting that is complete', `projects: {}\nplugins: { external: ${'['.repeat(3_000)}${']'.repeat(3_000)} }`],
    ['an alias to its own parent', 'projects: {}\nplugins: { runtime: { name: x, config: &a { b: *a } } }\n'],
    [
      'a bomb of aliases',
      `projects: {}\nnotifiers:\n  n:\n    plugin: x\n    a0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 20 }, (_, i) => `    a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join('\n')}\n`,
    ],
    ['a very long line', `projects: { a: { path: "${'x'.repeat(200_000)}" }, b: { path: 1 } }`],
    ['very many keys', `projects: {}\n${Array.from({ length: 25_000 }, (_, i) => `k${i}: 1`).join('\n')}`],
  ])('ends on %s', (_what, text) => {
    const started = performance.now()
    expect(loadText(text)).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
