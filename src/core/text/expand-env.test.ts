// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeEnv, expandEnv } from './expand-env.ts'

const ENV = { TOKEN: 's3cret', EMPTY: '', NESTED: '${TOKEN}', _x1: 'ok' }

describe('expandEnv', () => {
  it.each([
    ['plain', 'plain'],
    ['${TOKEN}', 's3cret'],
    ['Bearer ${TOKEN}!', 'Bearer s3cret!'],
    ['${TOKEN}${_x1}', 's3cretok'],
    ['${MISSING:-there}', 'there'],
    ['${MISSING:-}', ''],
    ['${EMPTY:-there}', 'there'],
    ['${EMPTY}', ''],
    ['${TOKEN:-there}', 's3cret'],
    ['${MISSING:-a:-b $x}', 'a:-b $x'],
    ['$${TOKEN}', '${TOKEN}'],
    ['$$${TOKEN}', '$${TOKEN}'],
    ['$TOKEN and $$ and $', '$TOKEN and $$ and $'],
    ['${NESTED}', '${TOKEN}'],
  ])('%s -> %s', (text, value) => {
    expect(expandEnv(text, ENV)).toEqual({ value, problems: [] })
  })

  it('names a variable that is not set', () => {
    expect(expandEnv('a ${NOPE} b ${ALSO_NOT}', ENV).problems).toEqual([
      { kind: 'unset', name: 'NOPE' },
      { kind: 'unset', name: 'ALSO_NOT' },
    ])
  })

  it.each(['${}', '${a-b}', '${TOKEN', '${1A}', '${TOKEN-x}'])('does not guess what %s means', (text) => {
    const { value, problems } = expandEnv(text, ENV)
    expect(value).toBe(text)
    expect(problems).toEqual([{ kind: 'malformed', text }])
  })

  it('does not find what the environment did not set', () => {
    expect(expandEnv('${constructor}', ENV).problems).toEqual([{ kind: 'unset', name: 'constructor' }])
  })

  it('gives back any text that was escaped', () => {
    const wild = fc
      .array(fc.constantFrom('$', '{', '}', '${', '$${', 'TOKEN', ':-', ' ', 'ü'))
      .map((all) => all.join(''))
    fc.assert(
      fc.property(fc.oneof(wild, fc.string()), (text) => {
        expect(expandEnv(escapeEnv(text), ENV)).toEqual({ value: text, problems: [] })
      }),
    )
  })
})
